"""What each arm gains or loses against the base on the same questions, and whether that can be told from chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from tasks.evaluation.holm import holm
from tasks.evaluation.resampling import Floats, bca_interval, sign_flip_p

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
    paired = {name: _paired(name, base, values) for name, values in others.items()}
    p_values = [sign_flip_p(pairs, seed) for pairs in paired.values()]
    adjusted = dict(zip(paired, zip(p_values, holm(p_values), strict=True), strict=True))
    return {name: _difference(pairs, *adjusted[name], len(paired), seed) for name, pairs in paired.items()}


def smallest_shown(pairs: Floats, arms: int) -> float:
    """The least mean difference that is beyond z(1 - 0.05 / 2m) standard errors, for m arms; 0 if nothing varies."""
    if len(pairs) < 2:
        return 0.0
    error = float(pairs.std(ddof=1)) / math.sqrt(len(pairs))
    return NormalDist().inv_cdf(1 - LEVEL / (2 * arms)) * error


def _paired(name: str, base: Sequence[float], values: Sequence[float]) -> Floats:
    if len(values) != len(base):
        raise ValueError(f"Arm {name} has {len(values)} values and the base {len(base)}.")
    pairs = np.asarray(values, dtype=np.float64) - np.asarray(base, dtype=np.float64)
    if not np.isfinite(pairs).all():
        raise ValueError(f"Arm {name} or the base has a value that is not a number.")
    return pairs


def _difference(pairs: Floats, p: float, p_holm: float, arms: int, seed: int) -> Difference:
    if len(pairs) == 0:
        return Difference(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, CANNOT_TELL, 0)
    mean, (low, high), smallest = float(pairs.mean()), bca_interval(pairs, seed), smallest_shown(pairs, arms)
    told = len(pairs) >= FEWEST_QUESTIONS and p_holm < LEVEL and not low <= 0 <= high and abs(mean) >= smallest
    verdict = (BETTER if mean > 0 else WORSE) if told else CANNOT_TELL
    return Difference(mean, low, high, p, p_holm, smallest, verdict, len(pairs))
