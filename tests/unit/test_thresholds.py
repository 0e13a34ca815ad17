from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.evaluation.thresholds import fit, may_lie_below, wilson

signals = st.lists(st.floats(-10, 10) | st.just(-math.inf), max_size=80)


def drawn(mean: float, size: int, seed: int = 0) -> list[float]:
    return list(np.random.default_rng(seed).normal(mean, 1, size))


def test_signals_that_do_not_overlap_are_parted_in_the_middle_of_the_gap() -> None:
    found = fit([8.0 + at / 100 for at in range(300)], [at / 100 for at in range(100)])
    assert found.weak == found.none == pytest.approx((0.99 + 8) / 2)
    assert (found.lowest_positive, found.highest_negative) == (8.0, 0.99)
    assert (found.weak_fit.held_out.positives.count, found.weak_fit.held_out.negatives.count) == (0, 100)


def test_too_few_answerable_questions_fit_nothing_and_say_so() -> None:
    found = fit([5.0] * 44, [0.0] * 50)
    assert (found.weak, found.none) == (None, None)
    assert "44 answerable questions are too few" in found.weak_fit.reason


def test_no_answer_asks_for_many_more_questions_than_weak_evidence() -> None:
    found = fit([5.0] * 150, [0.0] * 50)
    assert found.weak == 2.5
    assert found.none is None
    assert "150 answerable questions are too few for a budget of 1%" in found.none_fit.reason


def test_signals_that_do_not_tell_the_two_apart_fit_nothing() -> None:
    found = fit(drawn(0, 400), drawn(0, 400, seed=1))
    assert (found.weak, found.none) == (None, None)
    assert "not clearly apart" in found.weak_fit.reason


@pytest.mark.parametrize(("positives", "negatives"), [([], []), ([1.0] * 60, []), ([], [1.0] * 60), ([1.0], [0.0])])
def test_a_set_that_lacks_a_side_fits_nothing(positives: list[float], negatives: list[float]) -> None:
    found = fit(positives, negatives)
    assert (found.weak, found.none) == (None, None)
    assert (found.positives, found.negatives) == (len(positives), len(negatives))


def test_equal_signals_on_both_sides_are_never_parted() -> None:
    assert fit([1.0] * 300, [1.0] * 300).weak is None


def test_questions_that_found_nothing_are_below_every_threshold() -> None:
    found = fit([5.0] * 299 + [-math.inf], [0.0] * 50 + [-math.inf] * 50)
    assert found.weak == 2.5
    assert (found.weak_fit.positives_below, found.weak_fit.negatives_below) == (1, 100)
    assert (found.lowest_positive, found.highest_negative) == (5.0, 0.0)
    assert all(math.isfinite(at) for at, _, _ in found.curve)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_a_signal_that_is_no_number_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        fit([1.0, wrong], [0.0])


@settings(max_examples=60, deadline=None)
@given(signals, signals, st.integers(0, 5))
def test_budgets_hold_and_no_answer_is_never_above_weak(
    positives: list[float], negatives: list[float], times: int
) -> None:
    found = fit(positives * times, negatives)
    assert found == fit(list(reversed(positives * times)), list(reversed(negatives)))
    for fitted in (found.weak_fit, found.none_fit):
        assert (fitted.threshold is None) == bool(fitted.reason)
        assert fitted.positives_below <= fitted.budget * found.positives
    if found.none is not None:
        assert found.weak is not None
        assert found.none <= found.weak
    assert [at for at, _, _ in found.curve] == sorted({at for at, _, _ in found.curve})
    assert all(0 <= share <= 1 for _, *shares in found.curve for share in shares)


def test_a_fitted_budget_holds_for_questions_to_come_nine_times_of_ten() -> None:
    """The true share below, known from the law the signals are drawn from."""
    from scipy.stats import norm

    over, sets = 0, 100
    for seed in range(sets):
        weak = fit(drawn(2, 200, seed), drawn(0, 60, seed + sets)).weak
        assert weak is not None
        over += norm.cdf(weak - 2) > 0.05
    assert over <= 0.1 * sets + 2 * (0.1 * 0.9 * sets) ** 0.5


def test_how_many_may_lie_below_agrees_with_the_binomial_law() -> None:
    from scipy.stats import binom

    for questions in (1, 44, 45, 83, 230, 1000):
        k = may_lie_below(questions, 0.05)
        assert k < 0 or binom.cdf(k, questions, 0.05) <= 0.1
        assert binom.cdf(k + 1, questions, 0.05) > 0.1


def test_wilson_gives_the_interval_of_a_worked_example_and_holds_the_share() -> None:
    rate = wilson(81, 263)
    assert (rate.low, rate.high) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 10).low == 0
    assert wilson(10, 10).high == 1
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)


def test_a_curve_of_many_questions_is_thinned_and_keeps_its_ends() -> None:
    positives = drawn(2, 3000)
    found = fit(positives, drawn(0, 3000, seed=1))
    assert len(found.curve) == 200
    assert found.curve[-1][0] == max(positives)
