"""Where answers were lost, and what each remedy could win at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wherein.pipelines.evaluation.rows import FOUND, Row

DEPTHS = (40, 60, 100, 200)
_REMEDIES = {
    "floor": "fell below retrieval.floor: a lower floor could show them",
    "cap": "lost against other passages of their own file: a higher retrieval.per_source could show them",
    "fusion": "would have been shown by one channel alone: other channel weights or another fusion could show them",
    "rerank": "were moved down by the reranker: a lower rerank.weight could show them",
    "cut": "were in the pool, but further down in every list: a higher k could show them",
    "threshold": 'were held back as "not in your files": a lower threshold could show them',
}


def losses(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts of answerable questions by the stage that lost them, in total and by kind, with remedies."""
    asked = [row for row in rows if row.answerable]
    stages = Counter(row.outcome for row in asked)
    found = stages.pop(FOUND, 0)
    kinds: dict[str, Counter[str]] = {}
    for row in asked:
        if row.outcome != FOUND:
            kinds.setdefault(row.kind or "other", Counter())[row.outcome] += 1
    return {
        "found": found,
        "missed": len(asked) - found,
        "stages": dict(sorted(stages.items())),
        "kinds": {kind: dict(sorted(counts.items())) for kind, counts in sorted(kinds.items())},
        "remedies": _remedies(len(asked), stages, [row.least_pool for row in asked if row.least_pool]),
    }


def _remedies(asked: int, stages: Counter[str], pools: Sequence[int]) -> list[str]:
    told = []
    if stages["not indexed"]:
        told.append(
            f"{stages['not indexed']} of {asked} are not in the index: see `wherein files` for files that failed,"
            " and `wherein golden check`."
        )
    if stages["pool"]:
        told.append(
            f"{stages['pool']} of {asked} never entered a pool: no reranking can bring them back; {_by_depth(pools)}."
        )
    return told + [f"{stages[s]} of {asked} {remedy}." for s, remedy in _REMEDIES.items() if stages[s]]


def _by_depth(pools: Sequence[int]) -> str:
    held = [(depth, sum(least <= depth for least in pools)) for depth in DEPTHS]
    told = [f"pools of {depth} would hold {count}" for depth, count in held if count]
    return ", ".join(dict.fromkeys(told)) or f"even pools of {DEPTHS[-1]} would not hold them"
