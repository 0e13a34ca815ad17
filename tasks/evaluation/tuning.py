"""Search settings one dimension at a time, and judge the search on questions it did not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tasks.evaluation.folds import FOLDS, folds

Settings = tuple[tuple[str, str], ...]
"""(key, value) pairs, sorted by key."""
Dimension = Sequence[Settings]
"""The values that some keys can take together."""
Score = Callable[[Settings], Sequence[float]]
"""A value for each question under some settings; higher is better."""

LEAST_GAIN = 0.001
ROUNDS = 3


@dataclass(frozen=True)
class Tuned:
    """`settings` is the choice on all questions; `held_out` holds each question's value under `folds[i]`, the choice
    made without it, where `fold_of` says which."""

    settings: Settings
    folds: tuple[Settings, ...]
    fold_of: tuple[int, ...]
    held_out: tuple[float, ...]


def nested(score: Score, start: Settings, dimensions: Sequence[Dimension], parts: int = FOLDS, seed: int = 0) -> Tuned:
    """Tune on all questions, and once without each fold to see what tuning is worth on questions to come."""
    count = len(score(start))
    dealt = folds(count, parts, seed)
    held_out, fold_of, chosen = [0.0] * count, [0] * count, []
    for number, part in enumerate(dealt):
        others = sorted(set(range(count)) - set(part))
        chosen.append(best(score, start, dimensions, others) if others else start)
        for place in part:
            held_out[place], fold_of[place] = score(chosen[-1])[place], number
    return Tuned(best(score, start, dimensions, range(count)), tuple(chosen), tuple(fold_of), tuple(held_out))


def best(score: Score, start: Settings, dimensions: Sequence[Dimension], places: Sequence[int]) -> Settings:
    """Settings reached from `start` by changing one dimension at a time while the mean over `places` gains.

    A change must gain LEAST_GAIN, and a simpler one is not looked for: order decides between equals.
    """

    def mean(settings: Settings) -> float:
        values = score(settings)
        return fmean(values[place] for place in places)

    current, value = start, mean(start)
    for _ in range(ROUNDS):
        before = current
        for dimension in dimensions:
            tried = [(mean(settings), -number, settings) for number, settings in enumerate(_moves(current, dimension))]
            found, _, settings = max(tried)
            if found >= value + LEAST_GAIN:
                current, value = settings, found
        if current == before:
            break
    return current


def changed(start: Settings, end: Settings) -> Settings:
    """The pairs of `end` that `start` does not have."""
    return tuple(pair for pair in end if pair not in start)


def _moves(current: Settings, dimension: Dimension) -> list[Settings]:
    return [merged(current, option) for option in dimension]


def merged(settings: Settings, option: Settings) -> Settings:
    """The settings with some keys set anew."""
    return tuple(sorted({**dict(settings), **dict(option)}.items()))
