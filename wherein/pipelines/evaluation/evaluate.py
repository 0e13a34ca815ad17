"""Evaluate: every golden question in every arm, measured and compared with the settings as they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from store.records import PassageKey
from tasks.evaluation.folds import chosen_without
from tasks.evaluation.golden import Question
from tasks.stage import stage, tracing, within
from wherein.pipelines import calibration, expansion, loaded, models, sources
from wherein.pipelines.asked import settle
from wherein.pipelines.evaluation import arms as arm_list
from wherein.pipelines.evaluation import golden_set, units
from wherein.pipelines.evaluation.arms import CURRENT, Arm
from wherein.pipelines.evaluation.confidence import Budgets, confidence
from wherein.pipelines.evaluation.evaluation import Evaluated, Evaluation, Index
from wherein.pipelines.evaluation.losses import DEPTHS
from wherein.pipelines.evaluation.rows import TARGET, Row, row
from wherein.pipelines.evaluation.shared import Kept, SharedWork
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.query import Trail, follow
from wherein.pipelines.work import Opened
from wherein.workspace import Workspace

Progress = Callable[[str, int, int], None]
"""Called with the arm's name, and how many of its questions are done, of how many."""

Candidates = Sequence[tuple[Arm, Workspace]]
"""The arm itself, or those that it chooses from, each with its settings."""


@dataclass(frozen=True)
class EvaluateOptions:
    """The flags of `wherein evaluate`; no arm means the default matrix."""

    golden: Path
    arms: tuple[Arm, ...] = ()
    query: QueryOptions = field(default_factory=QueryOptions)
    limit: int | None = None
    seed: int = 0
    budgets: Budgets = field(default_factory=Budgets)


def evaluate(
    workspace: Workspace, options: EvaluateOptions, progress: Progress = lambda _arm, _done, _all: None
) -> Evaluation:
    """Raises WhereinError: exit 1 without an index, exit 2 for golden questions or arms that cannot be used."""
    started = time.time()
    with tracing() as trace:
        arms = list(options.arms) or arm_list.matrix(reranked=workspace.settings.rerank.enabled)
        settled = [_settled(workspace, arm) for arm in [Arm(CURRENT), *arm_list.distinct(arms)]]
        notes: list[str] = []
        with sources.opened(workspace, options.query.collections, notes) as found:
            golden = golden_set.read(workspace, options.golden, found, options.limit)
            bench = Bench(found, golden.questions, options, progress)
            measured = [bench.measure(*each) for each in settled]
            index = _index(workspace, found)
            notes += bench.requests
    told = confidence(measured[0].rows, index.models, options.budgets, options.seed)
    return Evaluation(golden, tuple(measured), index, started, time.time() - started, tuple(notes), trace.times(), told)


def _index(workspace: Workspace, found: Opened) -> Index:
    return Index(
        generations={name: snapshot.number for name, snapshot in found},
        chunks=sum(len(snapshot) for _, snapshot in found),
        models={
            "vector": str(found[0][1].settings["embedding"]["fingerprint"]),
            "rerank": calibration.rerank_digest(models.rerank(workspace)),
        },
    )


def _settled(workspace: Workspace, arm: Arm) -> tuple[Arm, Candidates]:
    return arm, [(each, each.workspace(workspace)) for each in arm_list.fitted(arm) or [arm]]


class Bench:
    """The opened generations and the questions, with what the arms have computed so far."""

    def __init__(
        self, found: Opened, questions: Sequence[Question], options: EvaluateOptions, progress: Progress
    ) -> None:
        self._found = found
        self._questions = questions
        self._options = options
        self._progress = progress
        self._kept = Kept()

    @property
    def requests(self) -> list[str]:
        """What was asked of language models."""
        return self._kept.requests

    def measure(self, arm: Arm, candidates: Candidates) -> Evaluated:
        """An arm; where its weight is to be fitted, each question is answered with the best weight on the others."""
        tried = {each.name: self._measured(each, its) for each, its in candidates}
        return tried[arm.name] if arm.name in tried else _composed(arm, tried, self._options.seed)

    def _measured(self, arm: Arm, workspace: Workspace) -> Evaluated:
        return _arm(lambda: self._run(arm, workspace))

    def _run(self, arm: Arm, workspace: Workspace) -> Evaluated:
        if workspace.settings.rerank.enabled and arm.options(self._options.query).rerank is not False:
            loaded.reranker(models.rerank(workspace))
        work = SharedWork(workspace, self._found, self._kept)
        rows = []
        for number, question in enumerate(self._questions, 1):
            rows.append(self._row(arm, workspace, question, work))
            self._progress(arm.name, number, len(self._questions))
        return Evaluated(arm, tuple(rows))

    def _row(self, arm: Arm, workspace: Workspace, question: Question, work: SharedWork) -> Row:
        asked = settle(workspace, question.question, arm.options(self._options.query))
        with within() as trace:
            trail = follow(asked, work, expansion.check(workspace, asked.options))
        one = row(question, arm.name, trail, trace.times())
        lost = one.answerable and one.outcome == "pool"
        return replace(one, least_pool=self._least_pool(question, trail, work)) if lost else one

    def _least_pool(self, question: Question, trail: Trail, work: SharedWork) -> int | None:
        """The least pool in which a channel that was run would hold a passage of the answer."""
        keys: list[tuple[int, PassageKey]] = []
        pool = work.pool(trail.asked)
        with within():
            if "vector" in trail.channels:
                queries = work.query_vectors(trail.asked, pool)
                keys += [(e.rank, e.key) for e in work.vector(trail.asked, pool, queries, DEPTHS[-1])]
            if "keyword" in trail.channels:
                keys += [(e.rank, e.key) for e in work.keyword(trail.asked, pool, DEPTHS[-1])]
        places = {key: at for source in pool for key, at in source.located().items()}
        wanted = units.judged(question)
        return next((rank for rank, key in sorted(keys) if units.at(question, places[key]) & wanted.keys()), None)


@stage("arm", items=lambda measured: len(measured.rows))
def _arm(run: Callable[[], Evaluated]) -> Evaluated:
    return run()


def _composed(arm: Arm, tried: dict[str, Evaluated], seed: int) -> Evaluated:
    """For each question the row of the candidate that is best on the other folds of the answerable ones."""
    scores = {name: [r.measures[TARGET] for r in one.rows if r.answerable] for name, one in tried.items()}
    chosen = iter(chosen_without(scores, seed=seed))
    first = next(iter(tried.values()))
    usual = max(scores, key=lambda name: sum(scores[name]))
    names = [next(chosen) if row.answerable else usual for row in first.rows]
    rows = [replace(tried[name].rows[place], arm=arm.name) for place, name in enumerate(names)]
    return Evaluated(arm, tuple(rows), usual.rpartition(" ")[2])
