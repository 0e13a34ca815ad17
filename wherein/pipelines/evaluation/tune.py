"""Tune: search the settings that act at query time, and keep a change only if it holds on questions held out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from store.errors import usage
from store.records import to_json
from tasks.evaluation.differences import Difference, differences
from tasks.evaluation.golden import repeated
from tasks.evaluation.tuning import Dimension, Settings, Tuned, changed, nested
from wherein.pipelines import sources
from wherein.pipelines.evaluation import golden_set
from wherein.pipelines.evaluation.arms import WEIGHTS, Arm
from wherein.pipelines.evaluation.evaluate import Bench, EvaluateOptions, Progress
from wherein.pipelines.evaluation.golden_set import GoldenSet
from wherein.pipelines.evaluation.rows import MEASURES, Row
from wherein.schema import Settings as AllSettings
from wherein.workspace import Workspace

AIM = ("nDCG@10", "R@k")
"""What is tuned: the mean of the two, so that order counts and so does what is shown at all."""
FEWEST = 20
_KEYS = (
    "rerank.enabled", "rerank.weight", "retrieval.fusion", "retrieval.per_source", "retrieval.pool_keyword",
    "retrieval.pool_vector", "retrieval.prose", "retrieval.weight_keyword", "retrieval.weight_vector",
)  # fmt: skip
_RERANK: Dimension = [
    (("rerank.enabled", "false"),),
    *((("rerank.enabled", "true"), ("rerank.weight", weight)) for weight in (*WEIGHTS, "1.0")),
]
_FUSION: Dimension = [
    *((("retrieval.fusion", name), ("retrieval.prose", "hybrid")) for name in ("minmax", "rrf", "union")),
    *((("retrieval.prose", name),) for name in ("vector", "keyword")),
]
_BALANCE: Dimension = [
    (("retrieval.weight_keyword", words), ("retrieval.weight_vector", meaning))
    for words, meaning in (("1.0", "1.0"), ("1.0", "0.5"), ("1.0", "0.25"), ("0.5", "1.0"), ("0.25", "1.0"))
]
_POOLS: Dimension = [(("retrieval.pool_keyword", n), ("retrieval.pool_vector", n)) for n in ("10", "20", "40")]
_CAP: Dimension = [(("retrieval.per_source", n),) for n in ("1", "2", "3", "5", "0")]
DIMENSIONS = (_RERANK, _FUSION, _BALANCE, _CAP, _POOLS)


@dataclass(frozen=True)
class Tuning:
    """`differences` compares the tuned settings on held-out questions with the present ones, by measure."""

    golden: GoldenSet
    present: Settings
    tuned: Tuned
    differences: dict[str, Difference]
    means: dict[str, dict[str, float]]
    tried: int
    started: float
    seconds: float
    notes: tuple[str, ...]

    @property
    def adopted(self) -> bool:
        """Whether there is a change, and its gain on held-out questions is not nothing by its 95 % interval."""
        return bool(self.changes) and self.differences["aim"].low > 0

    @property
    def changes(self) -> Settings:
        return changed(self.present, self.tuned.settings)

    @property
    def sentence(self) -> str:
        gain = self.differences["aim"]
        told = f"On held-out questions the tuned settings gain {gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
        if self.adopted:
            return f"{told}: the change holds."
        if not self.changes:
            return "No other settings are better on these questions: the present ones stand."
        return f"{told}, which may be chance: the present settings stand."

    def to_json(self) -> dict[str, Any]:
        return {
            "golden": self.golden.to_json(),
            "aim": list(AIM),
            "present": dict(self.present),
            "tuned": dict(self.tuned.settings),
            "changes": dict(self.changes),
            "folds": [dict(changed(self.present, settings)) for settings in self.tuned.folds],
            "held_out": to_json(self.differences),
            "means": self.means,
            "adopted": self.adopted,
            "sentence": self.sentence,
            "tried": self.tried,
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def tune(workspace: Workspace, options: EvaluateOptions, progress: Progress = lambda _arm, _done, _all: None) -> Tuning:
    """Raises WhereinError: exit 1 without an index, exit 2 for golden questions that cannot be used."""
    started, notes = time.time(), list[str]()
    with sources.opened(workspace, options.query.collections, notes) as found:
        golden = golden_set.read(workspace, options.golden, found, options.limit)
        _enough(golden)
        tried = _Tried(workspace, Bench(found, golden.questions, options, progress))
        present = _present(workspace.settings)
        tuned = nested(tried.aim, present, DIMENSIONS, seed=options.seed)
    base, held_out = tried.rows(present), _held_out(tried.rows, tuned)
    compared = {measure: _compared(base, held_out, partial(_measured, measure)) for measure in MEASURES}
    return Tuning(
        golden=golden,
        present=present,
        tuned=tuned,
        differences={"aim": _compared(base, held_out, _aim), **compared},
        means={"present": _means(base), "held_out": _means(held_out), "tuned": _means(tried.rows(tuned.settings))},
        tried=len(tried),
        started=started,
        seconds=time.time() - started,
        notes=(*notes, *repeated(golden.questions), *_one_sided(golden)),
    )


class _Tried:
    """Rows of the answerable questions by settings, each computed once."""

    def __init__(self, workspace: Workspace, bench: Bench) -> None:
        self._workspace = workspace
        self._bench = bench
        self._rows: dict[Settings, list[Row]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, settings: Settings) -> list[Row]:
        if settings not in self._rows:
            arm = Arm(f"settings {len(self._rows) + 1}", settings)
            self._rows[settings] = self._bench.measure(arm, [(arm, arm.workspace(self._workspace))]).answerable
        return self._rows[settings]

    def aim(self, settings: Settings) -> list[float]:
        return [_aim(row) for row in self.rows(settings)]


def _aim(row: Row) -> float:
    return fmean(row.measures[measure] for measure in AIM)


def _measured(measure: str, row: Row) -> float:
    return row.measures[measure]


def _held_out(rows: Callable[[Settings], Sequence[Row]], tuned: Tuned) -> list[Row]:
    return [rows(tuned.folds[fold])[place] for place, fold in enumerate(tuned.fold_of)]


def _compared(base: Sequence[Row], others: Sequence[Row], value: Callable[[Row], float]) -> Difference:
    return differences([value(row) for row in base], {"tuned": [value(row) for row in others]})["tuned"]


def _means(rows: Sequence[Row]) -> dict[str, float]:
    return {measure: fmean(row.measures[measure] for row in rows) for measure in MEASURES}


def _present(settings: AllSettings) -> Settings:
    """The values in force, written as the dimensions write them."""
    found = [(key, getattr(getattr(settings, key.partition(".")[0]), key.partition(".")[2])) for key in _KEYS]
    return tuple((key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in found)


def _enough(golden: GoldenSet) -> None:
    answerable = sum(question.answerable for question in golden.questions)
    if answerable < FEWEST:
        raise usage(
            f"{golden.file} has {answerable} questions that have an answer, too few to tune on: give {FEWEST} or more"
            " (`wherein golden make` makes some from the files).",
            kind="golden",
        )


def _one_sided(golden: GoldenSet) -> list[str]:
    kinds = [kind for kind in golden.kinds if kind != "unanswerable"]
    if len(kinds) > 1:
        return []
    return [f"all answerable questions are of one kind ({''.join(kinds)}): settings tuned on it may fail others"]
