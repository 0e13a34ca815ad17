"""Ways to put an interval around a mean of paired differences; those that lost stand beside the one in use.

Each takes differences `(n, sets)` and their resamples, and returns the lower and the upper end of every set.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tasks.evaluation.resampling import mean_intervals

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]
RESAMPLES = 4_000


@dataclass(frozen=True)
class Resampled:
    """Means and standard errors of the resamples, each `(RESAMPLES, sets)`."""

    means: Floats
    errors: Floats

    @classmethod
    def of(cls, pairs: Floats, random: np.random.Generator) -> Resampled:
        n = len(pairs)
        times = random.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)
        means = times @ pairs / n
        squares = np.maximum(times @ pairs**2 / n - means**2, 0)
        return cls(means, np.sqrt(np.where(squares < 1e-12, 0, squares) / (n - 1)))


def percentile(_: Floats, resampled: Resampled) -> Ends:
    low, high = np.quantile(resampled.means, [0.025, 0.975], axis=0)
    return low, high


def expanded(pairs: Floats, _: Resampled) -> Ends:
    """The one in use."""
    return mean_intervals(pairs)


def bca(pairs: Floats, resampled: Resampled) -> Ends:
    """Percentiles corrected for bias and skew (Efron 1987, acceleration by jackknife)."""
    ends = [_bca(column, means) for column, means in zip(pairs.T, resampled.means.T, strict=True)]
    return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _bca(pairs: Floats, means: Floats) -> tuple[float, float]:
    mean, away = pairs.mean(), pairs - pairs.mean()
    close = np.isclose(means, mean, rtol=0, atol=1e-12)
    below = float(((means < mean) & ~close).mean() + close.mean() / 2)
    if not 0 < below < 1 or not away.any():
        return float(means.min()), float(means.max())
    bias, skew = stats.norm.ppf(below), (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    ends = bias + stats.norm.ppf([0.025, 0.975])
    low, high = np.quantile(means, stats.norm.cdf(bias + ends / (1 - skew * ends)))
    return float(low), float(high)


def student(pairs: Floats, _: Resampled) -> Ends:
    mean, error = _mean_and_error(pairs)
    reach = stats.t.ppf(0.975, len(pairs) - 1) * error
    return mean - reach, mean + reach


def bootstrap_t(pairs: Floats, resampled: Resampled) -> Ends:
    """Quantiles of the resampled t; resamples that do not vary count as 0."""
    mean, error = _mean_and_error(pairs)
    varied = resampled.errors > 0
    resampled_t = np.where(varied, (resampled.means - mean) / np.where(varied, resampled.errors, 1), 0)
    low, high = np.quantile(resampled_t, [0.025, 0.975], axis=0)
    return mean - high * error, mean - low * error


def _mean_and_error(pairs: Floats) -> tuple[Floats, Floats]:
    return pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / math.sqrt(len(pairs))


INTERVALS: dict[str, Callable[[Floats, Resampled], Ends]] = {
    "percentile": percentile,
    "expanded percentile": expanded,
    "BCa": bca,
    "Student's t": student,
    "bootstrap t": bootstrap_t,
}
