"""What each arm gains or loses against the base on the same questions, and whether that can be told from chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from tasks.evaluation.holm import holm
from tasks.evaluation.resampling import Floats, mean_intervals, sign_flip_p

LEVEL = 0.05
FEWEST_QUESTIONS = 6

BETTER = "better"
WORSE = "worse"
CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Difference:
    """An arm less the base: the mean with its 95 % interval, over `questions` that both answered.

    `p` is of this arm alone, `p_holm` over all arms; `smallest` is the least mean that so many questions could show.
    """

    mean: float
    low: float
    high: float
    p: float
    p_holm: float
    smallest: float
    verdict: str
    questions: int


def differences(base: Sequence[float], others: Mapping[str, Sequence[float]], seed: int = 0) -> dict[str, Difference]:
    """Compare each arm with the base, question by question; values stand in the same order of questions.

    Raises ValueError where an arm has another number of values than the base, or a value is no number.
    """
    paired = [_paired(name, base, values) for name, values in others.items()]
    if not paired or len(base) < 2:
        return {name: _untold(pairs) for name, pairs in zip(others, paired, strict=True)}
    pairs = np.stack(paired, axis=1)
    p_values, (low, high) = sign_flip_p(pairs, seed), mean_intervals(pairs, seed)
    columns = (pairs.mean(axis=0), low, high, p_values, holm(p_values.tolist()), smallest_shown(pairs, len(paired)))
    arms = zip(others, *(map(float, column) for column in columns), strict=True)
    return {name: _difference(len(base), *figures) for name, *figures in arms}


def intervals(arms: Mapping[str, Sequence[float]], seed: int = 0) -> dict[str, tuple[float, float]]:
    """The 95 % interval of the mean of each arm over the same questions; of fewer than two, their mean twice.

    Raises ValueError where the arms have different numbers of values.
    """
    if not arms or min(map(len, arms.values())) < 2:
        return {name: (float(sum(values)), float(sum(values))) for name, values in arms.items()}
    low, high = mean_intervals(
        np.stack([np.asarray(values, dtype=np.float64) for values in arms.values()], axis=1), seed
    )
    return dict(zip(arms, zip(low.tolist(), high.tolist(), strict=True), strict=True))


def smallest_shown(pairs: Floats, arms: int) -> Floats:
    """The least mean difference beyond z(1 - 0.05 / 2m) standard errors for m arms, by column; 0 if nothing varies."""
    errors: Floats = pairs.std(axis=0, ddof=1) / math.sqrt(len(pairs))
    return NormalDist().inv_cdf(1 - LEVEL / (2 * arms)) * errors


def verdict(mean: float, low: float, high: float, p_holm: float, smallest: float, questions: int) -> str:
    """A word only where the test over all arms, the interval and what the questions could show agree."""
    told = questions >= FEWEST_QUESTIONS and p_holm < LEVEL and not low <= 0 <= high and abs(mean) >= smallest
    return (BETTER if mean > 0 else WORSE) if told else CANNOT_TELL


def _paired(name: str, base: Sequence[float], values: Sequence[float]) -> Floats:
    if len(values) != len(base):
        raise ValueError(f"Arm {name} has {len(values)} values and the base {len(base)}.")
    pairs = np.asarray(values, dtype=np.float64) - np.asarray(base, dtype=np.float64)
    if not np.isfinite(pairs).all():
        raise ValueError(f"Arm {name} or the base has a value that is not a number.")
    return pairs


def _untold(pairs: Floats) -> Difference:
    mean = float(pairs.sum())
    return Difference(mean, mean, mean, 1.0, 1.0, 0.0, CANNOT_TELL, len(pairs))


def _difference(
    questions: int, mean: float, low: float, high: float, p: float, p_holm: float, smallest: float
) -> Difference:
    low, high = min(low, mean), max(high, mean)
    told = verdict(mean, low, high, p_holm, smallest, questions)
    return Difference(mean, low, high, p, p_holm, smallest, told, questions)
