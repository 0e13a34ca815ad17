"""How good one ranking is: nDCG@k, R@k and RR@k as ir_measures defines them.

A ranking is a list of units, best first. A unit that comes again counts at its first place only and takes no rank, so
that a list of passages can be judged by files. `judged` holds grades: above 0 is relevant, and so is no absent unit.
Each measure is 0 where nothing is relevant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(units: Sequence[str], judged: Mapping[str, int], cut: int) -> float:
    """nDCG@cut with the grade itself as gain and log2(rank + 1) as discount, which is what trec_eval computes."""
    ideal = _discounted(sorted(_grades(judged).values(), reverse=True)[:cut])
    if not ideal:
        return 0.0
    return _discounted([max(judged.get(unit, 0), 0) for unit in distinct(units)[:cut]]) / ideal


def recall(units: Sequence[str], judged: Mapping[str, int], cut: int) -> float:
    """R@cut: the share of the relevant units that are among the first `cut`."""
    relevant = _grades(judged)
    found = sum(unit in relevant for unit in distinct(units)[:cut])
    return found / len(relevant) if relevant else 0.0


def reciprocal_rank(units: Sequence[str], judged: Mapping[str, int], cut: int) -> float:
    """RR@cut: one over the rank of the first relevant unit, 0 beyond `cut`."""
    relevant = _grades(judged)
    ranks = (rank for rank, unit in enumerate(distinct(units)[:cut], 1) if unit in relevant)
    return next((1 / rank for rank in ranks), 0.0)


def distinct(units: Sequence[str]) -> list[str]:
    """The units in their order, each at its first place."""
    return list(dict.fromkeys(units))


def _grades(judged: Mapping[str, int]) -> dict[str, int]:
    return {unit: grade for unit, grade in judged.items() if grade > 0}


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
