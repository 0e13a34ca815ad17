"""Cross-validation: each question is judged by what was chosen without it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import fmean

FOLDS = 5


def folds(count: int, parts: int = FOLDS, seed: int = 0) -> list[list[int]]:
    """Places 0 to count - 1 dealt at random into at most `parts` parts of nearly equal size; none is empty."""
    places = list(range(count))
    random.Random(seed).shuffle(places)
    dealt = [sorted(places[start::parts]) for start in range(parts)]
    return [part for part in dealt if part]


def chosen_without(scores: Mapping[str, Sequence[float]], parts: int = FOLDS, seed: int = 0) -> list[str]:
    """For each place the name whose mean over the other parts is highest, ties to the first; all lengths are equal."""
    count = len(next(iter(scores.values()), ()))
    chosen = [""] * count
    for part in folds(count, parts, seed):
        held_out = set(part)
        others = [place for place in range(count) if place not in held_out] or part
        name = max(scores, key=lambda name: fmean(scores[name][place] for place in others))
        for place in part:
            chosen[place] = name
    return chosen
