"""Thresholds of a confidence signal, fitted on questions with and without an answer to a stated budget.

A question whose signal is below `weak` is told to have weak evidence; below `none`, no answer in the files. A signal
of minus infinity stands for a question that found nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SURE = 0.9
CURVE_POINTS = 200


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `of`, as a share with its 95 % interval by Wilson; 0 to 1 where there are none."""

    count: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How many answerable and unanswerable questions fall below a threshold that was fitted without them."""

    positives: Rate
    negatives: Rate


@dataclass(frozen=True, slots=True)
class Fitted:
    """A threshold, or None and the reason; `positives_below`, `negatives_below` are of the questions it was fitted on.

    `held_out` is of the same way to fit, whether or not its outcome was good enough to be taken.
    """

    threshold: float | None
    budget: float
    reason: str
    positives_below: int
    negatives_below: int
    held_out: HeldOut


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`curve` holds (threshold, share of positives below it, share of negatives below it), rising.

    `lowest_positive` and `highest_negative` are of finite signals, None without one.
    """

    weak_fit: Fitted
    none_fit: Fitted
    positives: int
    negatives: int
    lowest_positive: float | None
    highest_negative: float | None
    curve: tuple[tuple[float, float, float], ...]

    @property
    def weak(self) -> float | None:
        return self.weak_fit.threshold

    @property
    def none(self) -> float | None:
        return self.none_fit.threshold


def fit(
    positives: Sequence[float],
    negatives: Sequence[float],
    budget_weak: float = 0.05,
    budget_none: float = 0.01,
    folds: int = 5,
    seed: int = 0,
) -> Thresholds:
    """Fit both thresholds; each budget is the share of answerable questions that may fall below.

    A threshold with 5 % of the fitted questions below it has more of those to come below it every other time. So only
    so few are let below that the true share stays within the budget nine times of ten (order statistics bound the
    quantile). That takes 45 positives for a budget of 5 %, and 230 for one of 1 %; fewer fit nothing.
    A threshold is taken only if, held out, clearly more negatives than positives lie below it, and `none` only together
    with `weak`.
    Raises ValueError for a signal that is no number or infinitely high.
    """
    having, lacking = _signals(positives), _signals(negatives)
    weak = _taken(having, lacking, budget_weak, folds, seed)
    none = _taken(having, lacking, budget_none, folds, seed)
    if weak.threshold is None and none.threshold is not None:
        none = _left(none, "no threshold could be fitted for weak evidence")
    return Thresholds(
        weak, none, len(having), len(lacking), _end(having, 0), _end(lacking, -1), _curve(having, lacking)
    )


def wilson(count: int, of: int, level: float = 0.95) -> Rate:
    """Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927."""
    if of == 0:
        return Rate(0, 0, 0.0, 0.0, 1.0)
    z, share = NormalDist().inv_cdf((1 + level) / 2), count / of
    middle, reach = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    low, high = ((middle + side) / (1 + z * z / of) for side in (-reach, reach))
    return Rate(count, of, share, min(max(low, 0.0), share), max(min(high, 1.0), share))


def may_lie_below(questions: int, budget: float, sure: float = SURE) -> int:
    """How many of the fitted questions may lie below a threshold at most; -1 where there are too few to say.

    The largest k for which a true share of `budget` would put more than k of them below with probability `sure`.
    """
    from scipy.stats import binom

    return int(binom.ppf(1 - sure, questions, budget)) - 1 if questions else -1


def fewest(budget: float, sure: float = SURE) -> int | None:
    """The least number of answerable questions that a budget can be fitted on; None where no number is enough."""
    return math.ceil(math.log(1 - sure) / math.log(1 - budget)) if 0 < budget < 1 else None


def _signals(values: Sequence[float]) -> Floats:
    signals = np.sort(np.asarray(values, dtype=np.float64))
    if np.isnan(signals).any() or np.isposinf(signals).any():
        raise ValueError("A signal is not a number, or infinitely high.")
    return signals


def _threshold(having: Floats, lacking: Floats, budget: float) -> tuple[float | None, str]:
    """The threshold that finds most negatives within the budget and, of those, lets fewest positives below it."""
    allowed = may_lie_below(len(having), budget)
    if allowed < 0:
        least = fewest(budget)
        needed = "which no number keeps for sure" if least is None else f"which takes {least:,}"
        return None, f"{len(having)} answerable questions are too few for a budget of {budget:.0%}, {needed}"
    highest = having[allowed]
    found = lacking[lacking < highest]
    if not len(found) or not np.isfinite(highest):
        return None, f"no unanswerable question lies below what a budget of {budget:.0%} allows"
    above = having[having > found[-1]][0]
    between = (found[-1] + above) / 2
    return float(between if found[-1] < between else above), ""


def _taken(having: Floats, lacking: Floats, budget: float, folds: int, seed: int) -> Fitted:
    threshold, reason = _threshold(having, lacking, budget)
    held_out = _held_out(having, lacking, budget, folds, seed)
    fitted = Fitted(threshold, budget, reason, _below(having, threshold), _below(lacking, threshold), held_out)
    if threshold is not None and held_out.negatives.low <= held_out.positives.high:
        told = (
            f"{held_out.negatives.share:.0%} of unanswerable and {held_out.positives.share:.0%} of answerable questions"
        )
        return _left(fitted, f"held out, {told} fell below, which is not clearly apart")
    return fitted


def _left(fitted: Fitted, reason: str) -> Fitted:
    return Fitted(None, fitted.budget, reason, 0, 0, fitted.held_out)


def _held_out(having: Floats, lacking: Floats, budget: float, folds: int, seed: int) -> HeldOut:
    """Counts over all folds; a fold that fits nothing lets nothing below."""
    random, below = np.random.default_rng(seed), [0, 0]
    fold_of = [random.permutation(len(values)) % folds for values in (having, lacking)]
    for fold in range(folds):
        inside, outside = ([of == fold for of in fold_of], [of != fold for of in fold_of])
        threshold, _ = _threshold(having[outside[0]], lacking[outside[1]], budget)
        below[0] += _below(having[inside[0]], threshold)
        below[1] += _below(lacking[inside[1]], threshold)
    return HeldOut(wilson(below[0], len(having)), wilson(below[1], len(lacking)))


def _below(signals: Floats, threshold: float | None) -> int:
    return 0 if threshold is None else int((signals < threshold).sum())


def _end(signals: Floats, at: int) -> float | None:
    finite = signals[np.isfinite(signals)]
    return float(finite[at]) if len(finite) else None


def _curve(having: Floats, lacking: Floats) -> tuple[tuple[float, float, float], ...]:
    signals = np.concatenate([having, lacking])
    at = np.unique(signals[np.isfinite(signals)])
    if len(at) > CURVE_POINTS:
        at = at[np.unique(np.linspace(0, len(at) - 1, CURVE_POINTS).astype(int))]
    shares = (np.searchsorted(values, at) / max(len(values), 1) for values in (having, lacking))
    return tuple(zip(at.tolist(), *(share.tolist() for share in shares), strict=True))
