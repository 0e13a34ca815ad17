"""Paired differences, resampled: an interval of their mean, and how often chance alone gives a mean as large.

Differences are one number a question, shape `(n,)`, n >= 1. The same seed gives the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 10_000
EXACT_UP_TO = 12
_BLOCK = 1_000_000
_ROUNDING = 1e-12


def percentile_interval(differences: Floats, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """Quantiles of the means of resampled questions."""
    tail = (1 - level) / 2
    low, high = np.quantile(resampled_means(differences, seed), [tail, 1 - tail])
    return float(low), float(high)


def bca_interval(differences: Floats, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """The same with quantiles corrected for bias and skew (BCa: Efron 1987, acceleration by jackknife)."""
    means, normal = resampled_means(differences, seed), NormalDist()
    below = _share_below(means, float(differences.mean()))
    if not 0 < below < 1:
        return float(means.min()), float(means.max())
    bias, skew = normal.inv_cdf(below), _acceleration(differences)
    ends = (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2))
    shares = [normal.cdf(bias + (bias + end) / (1 - skew * (bias + end))) for end in ends]
    low, high = np.quantile(means, shares)
    return float(low), float(high)


def _share_below(means: Floats, mean: float) -> float:
    """Ties count half; means that differ by rounding only are ties."""
    close = np.isclose(means, mean, rtol=0, atol=_ROUNDING)
    return float(((means < mean) & ~close).mean() + close.mean() / 2)


def _acceleration(differences: Floats) -> float:
    away = differences - differences.mean()
    spread = float((away**2).sum()) ** 1.5
    return float((away**3).sum()) / (6 * spread) if spread else 0.0


def resampled_means(differences: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Means of as many questions, drawn with replacement, shape `(resamples,)`."""
    random, n = np.random.default_rng(seed), len(differences)
    blocks = [differences[random.integers(0, n, size=(rows, n))].mean(axis=1) for rows in _blocks(resamples, n)]
    return np.concatenate(blocks)


def sign_flip_p(differences: Floats, seed: int = 0, flips: int = RESAMPLES) -> float:
    """Two-sided p of the paired randomisation test: how often random signs give a mean as far from 0.

    Questions without a difference cannot matter and are left out. Where at most 12 are left all signs are gone through;
    else the signs are drawn, and the observed ones counted among them, so that p is never 0.
    """
    counted = differences[differences != 0]
    if len(counted) == 0:
        return 1.0
    observed = abs(float(counted.sum())) - _ROUNDING * float(np.abs(counted).sum())
    if len(counted) <= EXACT_UP_TO:
        return float((np.abs(_all_signs(len(counted)) @ counted) >= observed).mean())
    random = np.random.default_rng(seed)
    extreme = sum(
        int((np.abs(_signs(random, rows, len(counted)) @ counted) >= observed).sum())
        for rows in _blocks(flips, len(counted))
    )
    return (extreme + 1) / (flips + 1)


def _all_signs(n: int) -> Floats:
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return bits.astype(np.float64) * 2 - 1


def _signs(random: np.random.Generator, rows: int, n: int) -> Floats:
    return random.integers(0, 2, size=(rows, n), dtype=np.int8).astype(np.float64) * 2 - 1


def _blocks(rows: int, columns: int) -> Iterator[int]:
    """Row counts that keep a block near 8 MB."""
    step = max(1, _BLOCK // max(columns, 1))
    while rows > 0:
        yield min(step, rows)
        rows -= step
