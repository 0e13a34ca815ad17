"""Cross-validation: nothing is judged by what was chosen with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.evaluation.folds import chosen_without, folds


@given(st.integers(0, 60), st.integers(1, 8), st.integers(0, 3))
def test_every_place_is_in_exactly_one_fold(count: int, parts: int, seed: int) -> None:
    dealt = folds(count, parts, seed)
    assert sorted(place for part in dealt for place in part) == list(range(count))
    assert len(dealt) == min(parts, count)
    sizes = [len(part) for part in dealt]
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert dealt == folds(count, parts, seed)


def test_the_best_everywhere_is_chosen_everywhere() -> None:
    assert chosen_without({"a": [0.0] * 7, "b": [1.0] * 7}) == ["b"] * 7


def test_a_place_does_not_choose_for_itself() -> None:
    """One question alone favours b so much that all others choose it; that one, held out, must not."""
    scores = {"a": [0.5] * 9 + [0.0], "b": [0.4] * 9 + [9.0]}
    chosen = chosen_without(scores, parts=10)
    assert chosen == ["b"] * 9 + ["a"]


def test_ties_go_to_the_first_and_nothing_is_chosen_for_nothing() -> None:
    assert chosen_without({"x": [1.0, 1.0], "a": [1.0, 1.0]}) == ["x", "x"]
    assert chosen_without({"x": []}) == []
    assert chosen_without({"x": [0.3]}) == ["x"]
