"""Differences between arms that do not answer the same questions."""

from __future__ import annotations

import pytest

from tasks.evaluation.paired import paired

BASE = {f"q{i}": i / 20 for i in range(20)}
LOWER = {name: value - 0.1 - (int(name[1:]) % 3) / 50 for name, value in BASE.items()}


def test_chances_are_adjusted_over_all_arms_of_a_measure() -> None:
    alone = paired(BASE, {"a": LOWER})["a"]
    among = paired(BASE, {"a": LOWER, "b": LOWER, "same": BASE})
    assert alone.verdict == "worse"
    assert among["a"].p_holm == pytest.approx(min(1.0, 3 * alone.p))
    assert among["same"].verdict == "cannot tell"


@pytest.mark.parametrize(("fewest", "told"), [(6, set()), (1, {"a"})])
def test_only_questions_of_both_count_and_few_tell_nothing(fewest: int, told: set[str]) -> None:
    few = {name: LOWER[name] for name in ("q1", "q2", "q3")} | {"other": 1.0}
    found = paired(BASE, {"a": few}, fewest=fewest)
    assert set(found) == told
    assert all(each.verdict == "cannot tell" for each in found.values())


def test_no_shared_question_is_no_difference() -> None:
    assert paired(BASE, {"a": {"other": 1.0}}, fewest=1) == {}
