from __future__ import annotations

import random

import ir_measures
import pytest
from ir_measures import RR, R, nDCG

from tasks.evaluation.measures import ndcg, recall, reciprocal_rank


def by_ir_measures(units: list[str], judged: dict[str, int], cut: int) -> list[float]:
    run = {"q": {unit: float(len(units) - at) for at, unit in enumerate(units)}}
    found = ir_measures.calc_aggregate([nDCG @ cut, R @ cut, RR @ cut], {"q": judged}, run)
    return [found[nDCG @ cut], found[R @ cut], found[RR @ cut]]


@pytest.mark.parametrize("cut", [1, 3, 10, 15, 100])
def test_measures_agree_with_ir_measures_on_random_rankings(cut: int) -> None:
    chance = random.Random(cut)
    for _ in range(60):
        units = chance.sample([f"d{n}" for n in range(60)], chance.randint(1, 60))
        judged = {f"d{n}": chance.choice([-1, 0, 1, 1, 2, 3]) for n in chance.sample(range(80), 12)} | {"d79": 1}
        ours = [measure(units, judged, cut) for measure in (ndcg, recall, reciprocal_rank)]
        assert ours == pytest.approx(by_ir_measures(units, judged, cut), abs=1e-9)


@pytest.mark.parametrize("measure", [ndcg, recall, reciprocal_rank])
def test_measures_are_0_where_nothing_is_relevant_or_nothing_was_found(measure: object) -> None:
    assert callable(measure)
    assert measure([], {"a": 1}, 10) == 0
    assert measure(["a"], {}, 10) == 0
    assert measure(["a"], {"a": 0, "b": -1}, 10) == 0
    assert measure(["a"], {"a": 1}, 0) == 0


def test_a_unit_that_comes_again_counts_once_and_takes_no_rank() -> None:
    judged = {"a": 1, "b": 1}
    for measure in (ndcg, recall, reciprocal_rank):
        assert measure(["x", "x", "a", "a", "b"], judged, 3) == measure(["x", "a", "b"], judged, 3)
    assert ndcg(["a", "a", "a"], judged, 3) < 1


def test_the_ideal_ranking_has_ndcg_1_and_swapping_grades_lowers_it() -> None:
    judged = {"a": 3, "b": 2, "c": 1}
    assert ndcg(["a", "b", "c"], judged, 10) == 1
    assert ndcg(["b", "a", "c"], judged, 10) < 1
