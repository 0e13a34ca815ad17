from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.evaluation.differences import BETTER, CANNOT_TELL, WORSE, differences, intervals, smallest_shown
from tasks.evaluation.holm import holm
from tasks.evaluation.resampling import mean_intervals, resampled_means, sign_flip_p

NDCG = np.concatenate([[0.0] * 25, [1.0] * 40, 1 / np.log2(np.arange(2, 11) + 1), 1 / np.log2(np.arange(2, 6) + 1)])


def rows(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Values as nDCG@10 has them where one file is relevant: many 0, many 1."""
    return random.choice(NDCG, size=shape)


def p_of(pairs: np.ndarray, seed: int = 0) -> float:
    return float(sign_flip_p(pairs[:, None], seed)[0])


def test_holm_gives_the_adjusted_values_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7]) == [0.7]
    assert holm([0.5, 0.5, 0.9]) == [1.0, 1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for p, after in zip(p_values, adjusted, strict=True):
        assert p <= after <= min(1.0, p * len(p_values))
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert [after for _, after in pairs] == sorted(after for _, after in pairs)


def test_the_exact_randomisation_test_counts_every_choice_of_signs() -> None:
    pairs = np.array([0.5, -0.25, 1.0, 0.0, 0.125, 0.5])
    signs = itertools.product([-1, 1], repeat=len(pairs))
    means = [abs(sum(s * d for s, d in zip(some, pairs, strict=True))) for some in signs]
    assert p_of(pairs) == sum(mean >= abs(pairs.sum()) for mean in means) / len(means)


@pytest.mark.parametrize("n", [1, 5, 6, 12])
def test_the_smallest_p_is_that_of_two_choices_of_signs(n: int) -> None:
    assert p_of(np.full(n, 0.1)) == 2 / 2**n


def test_drawn_signs_agree_with_all_signs() -> None:
    from scipy.stats import permutation_test

    pairs = np.random.default_rng(1).normal(0.25, 1, 13)
    exact = permutation_test((pairs,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert p_of(pairs) == pytest.approx(exact, abs=0.015)


def test_resampled_means_vary_as_those_of_scipy() -> None:
    from scipy.stats import bootstrap

    pairs = rows(np.random.default_rng(2), 80) - 0.4
    theirs = bootstrap((pairs,), np.mean, n_resamples=10_000, random_state=3).bootstrap_distribution
    shares = [0.01, 0.1, 0.5, 0.9, 0.99]
    assert np.quantile(resampled_means(pairs[:, None], 0), shares) == pytest.approx(
        np.quantile(theirs, shares), abs=0.01
    )


def test_an_interval_of_many_questions_is_that_of_the_normal_law() -> None:
    pairs = np.random.default_rng(3).normal(0.1, 1, 2000)
    low, high = mean_intervals(pairs[:, None])
    reach = 1.96 * pairs.std() / 2000**0.5
    assert (low[0], high[0]) == pytest.approx((pairs.mean() - reach, pairs.mean() + reach), abs=0.004)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.integers(0, 3))
def test_an_interval_lies_within_the_differences_and_p_within_0_and_1(values: list[float], seed: int) -> None:
    pairs = np.array(values)
    low, high = (float(end[0]) for end in mean_intervals(pairs[:, None], seed))
    assert pairs.min() - 1e-9 <= low <= high <= pairs.max() + 1e-9
    assert 0 < p_of(pairs, seed) <= 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_swapping_the_sides_turns_the_sign_and_keeps_p(pairs: list[tuple[float, float]]) -> None:
    base, other = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = differences(base, {"x": other})["x"], differences(other, {"x": base})["x"]
    assert (there.mean, there.p, there.smallest) == pytest.approx((-back.mean, back.p, back.smallest))


def test_a_clear_gain_is_better_and_a_clear_loss_worse() -> None:
    base = rows(np.random.default_rng(4), 60) / 2
    found = differences(list(base), {"up": list(base + 0.3), "down": list(base - 0.3), "same": list(base)})
    assert {name: one.verdict for name, one in found.items()} == {"up": BETTER, "down": WORSE, "same": CANNOT_TELL}
    assert found["up"].low <= found["up"].mean <= found["up"].high
    assert (found["same"].p, found["same"].p_holm, found["same"].questions) == (1, 1, 60)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_fewer_than_6_questions_never_tell(n: int) -> None:
    found = differences([0.0] * n, {"x": [1.0] * n})["x"]
    assert (found.verdict, found.questions) == (CANNOT_TELL, n)


def test_six_questions_that_all_agree_tell() -> None:
    assert differences([0.0] * 6, {"x": [1.0] * 6})["x"].verdict == BETTER


def test_more_arms_ask_for_a_larger_difference() -> None:
    pairs = np.random.default_rng(5).normal(size=42)
    one, ten = (float(smallest_shown(pairs[:, None], arms)[0]) for arms in (1, 10))
    assert one == pytest.approx(1.96 * pairs.std(ddof=1) / 42**0.5, rel=1e-4)
    assert ten > 1.4 * one


def test_nothing_is_told_below_what_the_questions_can_show() -> None:
    random = np.random.default_rng(6)
    for _ in range(40):
        base = rows(random, 42)
        found = differences(list(base), {name: list(rows(random, 42)) for name in "abcd"})
        for one in found.values():
            assert one.verdict == CANNOT_TELL or (one.p_holm < 0.05 and abs(one.mean) >= one.smallest)


def test_the_same_seed_gives_the_same_figures_and_no_arm_changes_another() -> None:
    random = np.random.default_rng(7)
    base, other, third = (list(rows(random, 50)) for _ in range(3))
    assert differences(base, {"x": other}, 3) == differences(base, {"x": other}, 3)
    alone, beside = differences(base, {"x": other})["x"], differences(base, {"x": other, "y": third})["x"]
    assert (alone.low, alone.high, alone.p) == pytest.approx((beside.low, beside.high, beside.p), abs=1e-12)


def test_each_arm_has_an_interval_around_its_own_mean() -> None:
    random = np.random.default_rng(9)
    arms = {"a": list(rows(random, 50)), "b": list(rows(random, 50) / 2)}
    found = intervals(arms)
    for name, values in arms.items():
        low, high = found[name]
        assert low < np.mean(values) < high
        assert found[name] == pytest.approx(intervals({name: values})[name], abs=1e-12)
    assert (intervals({}), intervals({"a": []}), intervals({"a": [0.5]})) == ({}, {"a": (0, 0)}, {"a": (0.5, 0.5)})


@pytest.mark.parametrize("values", [[0.0], [0.0, float("nan")]])
def test_values_that_cannot_be_paired_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="Arm x"):
        differences([0.0, 1.0], {"x": values})


@pytest.mark.parametrize("questions", [10, 42])
def test_the_same_system_with_shuffled_labels_is_told_apart_no_oftener_than_stated(questions: int) -> None:
    """Four arms a set, each a shuffle of two rankings; a false alarm is a set with a word on any arm."""
    random, alarms, sets = np.random.default_rng(8), 0, 200
    for _ in range(sets):
        base = rows(random, questions)
        other = np.where(random.random(questions) < 0.6, base, rows(random, questions))
        arms = {}
        for name in "abcd":
            swap = random.random(questions) < 0.5
            arms[name] = list(np.where(swap, base, other) - np.where(swap, other, base))
        alarms += any(one.verdict != CANNOT_TELL for one in differences([0.0] * questions, arms).values())
    assert alarms <= 0.05 * sets + 2 * (0.05 * 0.95 * sets) ** 0.5
