"""One question in one arm: what was found, how it is measured, and where each missed answer was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from store.records import StageTime
from tasks.evaluation.golden import Question
from tasks.evaluation.measures import ndcg, recall, reciprocal_rank
from wherein.pipelines.evaluation import units
from wherein.pipelines.query import Trail

CUT = 10
MEASURES = (f"nDCG@{CUT}", "R@k", f"RR@{CUT}", "pool recall", "sources")
TARGET = MEASURES[0]
MEANINGS = {
    f"nDCG@{CUT}": f"how well the first {CUT} are ordered, 1 is perfect",
    "R@k": "share of the relevant files or passages that are shown",
    f"RR@{CUT}": "1 / the rank of the first relevant one",
    "pool recall": "share of them that was a candidate at all",
    "sources": "different files among what is shown",
}
FOUND = "found"
STAGES = ("not indexed", "pool", "floor", "cap", "fusion", "rerank", "cut", "threshold", FOUND)
"""How far the passages of an answer came, from the first step that can lose them to what is shown."""
RANKING = 100
_TOP = 10


@dataclass(frozen=True, slots=True)
class Row:
    """`measures` are empty for a question that has no answer in the files; `lost` is a stage by relevant unit.

    `ranking` holds units in final order, those that the cut left out included. `pool`: how many passages it had.
    `least_pool`: for an answer that
    entered no pool, the least one that would have held it, if any depth tried does.
    """

    id: str
    question: str
    kind: str
    answerable: bool
    arm: str
    measures: dict[str, float]
    lost: dict[str, str]
    ranking: tuple[str, ...]
    top: tuple[str, ...]
    confidence: str
    signal_name: str | None
    signal: float | None
    stages: tuple[StageTime, ...]
    pool: int = 0
    least_pool: int | None = None

    @property
    def outcome(self) -> str:
        """How far the best passage of the answer came."""
        return max(self.lost.values(), key=STAGES.index, default=FOUND)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "question": self.question,
            "kind": self.kind,
            "answerable": self.answerable,
            "arm": self.arm,
            **self.measures,
            "outcome": self.outcome if self.answerable else None,
            "lost": [{"relevant": unit, "stage": stage} for unit, stage in self.lost.items() if stage != FOUND],
            "top": list(self.top),
            "confidence": self.confidence,
            "signal": self.signal,
            "seconds": {each.stage: each.seconds for each in self.stages},
        }


def row(question: Question, arm: str, trail: Trail, stages: Sequence[StageTime]) -> Row:
    """Measure one retrieval."""
    evidence = trail.evidence
    shown = units.ranking(question, evidence.hits)
    cut = [hit for hit in trail.hits if trail.selection.fates.get(hit.key) == "cut"]
    ranking = units.ranking(question, [*evidence.hits, *(cut if evidence.hits else ())])
    pool = units.ranking(question, trail.hits)
    return Row(
        id=question.id,
        question=question.question,
        kind=question.kind,
        answerable=question.answerable,
        arm=arm,
        measures=_measures(question, ranking, shown, pool, len({h.path for h in evidence.hits})),
        lost=_stages(question, trail, shown) if question.answerable else {},
        ranking=tuple(ranking[:RANKING]),
        top=tuple(f"{hit.path}:{hit.line_start}" for hit in evidence.hits[:_TOP]),
        confidence=evidence.confidence,
        signal_name=evidence.signal.name,
        signal=evidence.signal.value,
        stages=tuple(stages),
        pool=len(trail.hits),
    )


def _measures(
    question: Question, ranking: Sequence[str], shown: Sequence[str], pool: Sequence[str], sources: int
) -> dict[str, float]:
    if not question.answerable:
        return {}
    judged = units.judged(question)
    values = (
        ndcg(ranking, judged, CUT),
        recall(shown, judged, len(shown)),
        reciprocal_rank(ranking, judged, CUT),
        recall(pool, judged, len(pool)),
        float(sources),
    )
    return dict(zip(MEASURES, values, strict=True))


def _stages(question: Question, trail: Trail, shown: Sequence[str]) -> dict[str, str]:
    """The stage each relevant unit came to."""
    found = set(shown)
    judged = {unit: grade for unit, grade in units.judged(question).items() if grade > 0}
    unknown = {units.unit_of(e, n) for n, e in enumerate(question.relevant, 1) if e.collection is None}
    furthest: dict[str, str] = dict.fromkeys(judged, "pool")
    for hit in trail.hits:
        for unit in units.units(question, hit):
            if unit in furthest:
                furthest[unit] = max(furthest[unit], _fate(trail, hit), key=STAGES.index)
    told = {unit: FOUND if unit in found else stage for unit, stage in furthest.items()}
    return {unit: "not indexed" if unit in unknown else stage for unit, stage in told.items()}


def _fate(trail: Trail, hit: Any) -> str:
    """The step that left a passage of the pool out.

    One that the cut left out was lost in the fusion if a channel alone would have shown it, by the reranker if the
    fused order would have.
    """
    fate = trail.selection.fates.get(hit.key)
    if fate is None:
        return "threshold"
    if fate != "cut":
        return fate
    k, ranks = trail.asked.k, hit.ranks
    if ranks.fused <= k:
        return "rerank"
    return "fusion" if any(rank is not None and rank <= k for rank in (ranks.vector, ranks.keyword)) else "cut"
