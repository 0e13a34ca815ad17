"""Paired differences, resampled: an interval of their mean, and how often chance alone gives a mean as large.

Differences are one number a question, `(n, m)` for m arms, n >= 2. All arms see the same draws, so that no arm's
figures depend on the others; the same seed gives the same figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 10_000
EXACT_UP_TO = 12
_BLOCK = 1_000_000
_ROUNDING = 1e-12


def mean_intervals(differences: Floats, seed: int = 0, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends, `(m,)` each: percentiles of resampled means, set further out for a small n.

    A resample varies by n where an estimate has n - 1, and its tails are normal where they should be Student's; the
    percentiles make up for both. Source: T. Hesterberg, "What Teachers Should Know About the Bootstrap", 2015.
    """
    from scipy.special import stdtrit

    n = len(differences)
    tail = NormalDist().cdf(math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, (1 - level) / 2)))
    low, high = np.quantile(resampled_means(differences, seed), [tail, 1 - tail], axis=0)
    return low, high


def resampled_means(differences: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Means over as many questions, drawn with replacement: `(resamples, m)`."""
    random, n = np.random.default_rng(seed), len(differences)
    return np.concatenate([_times_drawn(random, rows, n) @ differences / n for rows in _blocks(resamples, n)])


def _times_drawn(random: np.random.Generator, rows: int, n: int) -> Floats:
    """How often each question is in each resample: `(rows, n)`."""
    drawn = random.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def sign_flip_p(differences: Floats, seed: int = 0, flips: int = RESAMPLES) -> Floats:
    """Two-sided p of the paired randomisation test, `(m,)`: how often random signs give a mean as far from 0.

    Where at most 12 questions of an arm differ all their signs are gone through; else the signs are drawn, and the
    observed ones counted among them, so that p is never 0.
    """
    random, n = np.random.default_rng(seed), len(differences)
    least = np.abs(differences.sum(axis=0)) - _ROUNDING * np.abs(differences).sum(axis=0)
    extreme = np.zeros(differences.shape[1])
    for rows in _blocks(flips, n):
        extreme += (np.abs(_signs(random, rows, n) @ differences) >= least).sum(axis=0)
    few = (differences != 0).sum(axis=0) <= EXACT_UP_TO
    exact = [_exact_p(arm[arm != 0], at_least) for arm, at_least in zip(differences.T[few], least[few], strict=True)]
    p_values = (extreme + 1) / (flips + 1)
    p_values[few] = exact
    return p_values


def _exact_p(differing: Floats, least: float) -> float:
    signs = (np.arange(2 ** len(differing))[:, None] >> np.arange(len(differing))) & 1
    return float((np.abs((signs * 2 - 1) @ differing) >= least).mean())


def _signs(random: np.random.Generator, rows: int, n: int) -> Floats:
    bits = np.unpackbits(random.integers(0, 256, size=(rows, -(-n // 8)), dtype=np.uint8), axis=1, count=n)
    return bits.astype(np.float64) * 2 - 1


def _blocks(rows: int, columns: int) -> Iterator[int]:
    """Row counts that keep a block near 8 MB."""
    step = max(1, _BLOCK // max(columns, 1))
    while rows > 0:
        yield min(step, rows)
        rows -= step
