"""Tuning: what is chosen, and that it is judged on questions it did not see."""

from __future__ import annotations

import random
from statistics import fmean

from tasks.evaluation.tuning import best, changed, merged, nested

WEIGHTS = [(("weight", str(w)),) for w in (0, 1, 2, 3)]
FUSIONS = [(("fusion", name),) for name in ("minmax", "rrf")]
START = (("fusion", "minmax"), ("weight", "1"))


def score(settings: tuple[tuple[str, str], ...]) -> list[float]:
    """Best at weight 2 and rrf, for every question alike."""
    chosen = dict(settings)
    return [1 - abs(int(chosen["weight"]) - 2) / 10 + 0.05 * (chosen["fusion"] == "rrf")] * 12


def test_the_best_settings_are_found_one_dimension_at_a_time() -> None:
    assert best(score, START, [WEIGHTS, FUSIONS], range(12)) == (("fusion", "rrf"), ("weight", "2"))
    tuned = nested(score, START, [WEIGHTS, FUSIONS])
    assert tuned.settings == (("fusion", "rrf"), ("weight", "2"))
    assert set(tuned.folds) == {tuned.settings}
    assert fmean(tuned.held_out) == fmean(score(tuned.settings))


def test_settings_stay_where_nothing_gains() -> None:
    assert best(lambda _: [0.5] * 9, START, [WEIGHTS, FUSIONS], range(9)) == START
    assert nested(lambda _: [0.5], START, [WEIGHTS]).settings == START


def test_tuning_on_noise_gains_on_its_own_questions_and_nothing_on_others() -> None:
    gains, honest = [], []
    for seed in range(40):

        def noise(settings: tuple[tuple[str, str], ...], seed: int = seed) -> list[float]:
            chance = random.Random(f"{seed} {settings}")
            return [chance.random() for _ in range(40)]

        tuned = nested(noise, START, [WEIGHTS, FUSIONS])
        gains.append(fmean(noise(tuned.settings)) - fmean(noise(START)))
        honest.append(fmean(tuned.held_out) - fmean(noise(START)))
    assert fmean(gains) > 0.03
    assert abs(fmean(honest)) < 0.02


def test_a_fold_s_choice_is_made_without_it() -> None:
    """One question alone makes a weight look best; held out it must not be judged by it."""

    def spiked(settings: tuple[tuple[str, str], ...]) -> list[float]:
        return [0.5] * 9 + [9.0 if dict(settings)["weight"] == "3" else 0.0]

    tuned = nested(spiked, START, [WEIGHTS], parts=10)
    assert dict(tuned.settings)["weight"] == "3"
    assert tuned.held_out[9] == 0.0


def test_changes_are_told_by_their_keys() -> None:
    end = merged(START, (("weight", "2"),))
    assert end == (("fusion", "minmax"), ("weight", "2"))
    assert changed(START, end) == (("weight", "2"),)
