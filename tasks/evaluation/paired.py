"""Differences between arms of which not all have a value for every question."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tasks.evaluation.differences import CANNOT_TELL, FEWEST_QUESTIONS, Difference, smallest_shown, verdict
from tasks.evaluation.holm import holm
from tasks.evaluation.resampling import Floats, mean_intervals, sign_flip_p

Values = Mapping[str, float]
"""By question."""


def paired(
    base: Values, others: Mapping[str, Values], seed: int = 0, *, fewest: int = FEWEST_QUESTIONS
) -> dict[str, Difference]:
    """Each arm less the base over the questions both have; p-values are adjusted over all arms.

    Left out is an arm that shares fewer than `fewest` questions with the base: of fewer than six nothing can be told.
    """
    shared = {name: _pairs(base, values) for name, values in others.items()}
    told = {name: pairs for name, pairs in shared.items() if len(pairs) >= fewest}
    p_values = [float(sign_flip_p(pairs, seed)[0]) for pairs in told.values()]
    adjusted = holm(p_values)
    return {
        name: _difference(pairs, p, p_holm, len(told), seed)
        for (name, pairs), p, p_holm in zip(told.items(), p_values, adjusted, strict=True)
    }


def _pairs(base: Values, other: Values) -> Floats:
    """`(n, 1)`"""
    both = sorted(base.keys() & other.keys())
    return np.asarray([[other[name] - base[name]] for name in both], dtype=np.float64).reshape(-1, 1)


def _difference(pairs: Floats, p: float, p_holm: float, arms: int, seed: int) -> Difference:
    mean = float(pairs.mean())
    if not pairs.any():
        return Difference(0.0, 0.0, 0.0, p, p_holm, 0.0, CANNOT_TELL, len(pairs))
    low, high = (float(end[0]) for end in mean_intervals(pairs, seed))
    smallest = float(smallest_shown(pairs, arms)[0])
    low, high = min(low, mean), max(high, mean)
    return Difference(
        mean, low, high, p, p_holm, smallest, verdict(mean, low, high, p_holm, smallest, len(pairs)), len(pairs)
    )
