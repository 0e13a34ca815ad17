"""Means, intervals and differences of a comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tasks.cite import cite
from tasks.evaluation.paired import paired
from tasks.evaluation.resampling import mean_intervals
from tasks.measure import measure
from tasks.providers.base import Seconds, Usage
from tests.unit.hits import hits
from tests.unit.test_report import asked
from wherein.pipelines.comparison import Compared, QuestionComparison
from wherein.pipelines.measured import MEASURES
from wherein.pipelines.summary import summary

PASSAGES = hits("the pelican code is 7", "garden notes", "a third one")


def said(text: str, model: str = "m1", temperature: float = 0.3, **more: Any) -> Compared:
    cited = cite(text, PASSAGES)
    status = "refused" if cited.refused else "ok"
    known = Compared(model, temperature, 0, 1, status, None, True, text, cited.citations, cited.unknown_markers)
    return replace(known, metrics=measure(cited, PASSAGES), **more)


def questions(*answers: list[Compared]) -> list[QuestionComparison]:
    return [asked(f"q{number}", PASSAGES, *group) for number, group in enumerate(answers)]


def test_repeats_are_averaged_before_questions() -> None:
    often = [said("So [1][2]."), said("So [1][2]."), said("So [1][2].")]
    (row,) = summary(questions(often, [said("So [1].")]))
    assert row["means"]["files_cited"] == 1.5
    assert row["questions"]["files_cited"] == 2
    assert row["answers"] == 4


def test_a_rank_is_averaged_over_the_questions_that_have_one() -> None:
    (row,) = summary(questions([said("So [3].")], [said("So it is.")]))
    assert row["means"]["lowest_rank_cited"] == 3
    assert (row["questions"]["lowest_rank_cited"], row["questions"]["files_cited"]) == (1, 2)


def test_refused_empty_and_failed_answers_are_shares_and_in_no_mean() -> None:
    failed = Compared("m1", 0.3, 0, 1, status="failed", error="away")
    empty = said("", status="empty")
    (row,) = summary(questions([said("So [1]."), said("NOT IN YOUR FILES"), empty, failed]))
    shares = {name: row["means"][name] for name in ("answered", "refused", "empty", "failed")}
    assert shares == dict.fromkeys(shares, 0.25)
    assert row["means"]["files_cited"] == 1
    assert [row[name] for name in ("ok", "refused", "empty", "failed")] == [1, 1, 1, 1]


def test_an_uncontrolled_answer_counts_among_the_outcomes_alone() -> None:
    free = said("So [1][2][3].", controlled=False, usage=Usage(10, 20, 0.5))
    (row,) = summary(questions([said("So [1].", usage=Usage(10, 20, 0.25)), free]))
    assert (row["uncontrolled"], row["ok"], row["means"]["answered"]) == (1, 2, 1)
    assert row["means"]["files_cited"] == 1
    assert row["pairs"] == 0
    assert row["means"]["cost"] == 0.25
    assert row["cost"] == 0.75


def test_loading_is_no_part_of_the_seconds() -> None:
    (row,) = summary(questions([said("So.", seconds=Seconds(2.0, 3.0, 10.0), usage=Usage(7, 9))]))
    means = row["means"]
    assert (means["seconds"], means["seconds_to_first_token"], means["completion_tokens"]) == (8, 1, 9)


def test_intervals_are_those_of_resampled_questions_and_need_six() -> None:
    counts = [1, 2, 3, 1, 2, 3, 1]
    many = questions(*([said("So " + "".join(f"[{n}]" for n in range(1, c + 1)) + ".")] for c in counts))
    (row,) = summary(many)
    low, high = mean_intervals(np.array(counts, dtype=float)[:, None])
    assert row["intervals"]["files_cited"] == {
        "low": pytest.approx(low[0], rel=1e-4),
        "high": pytest.approx(high[0], rel=1e-4),
    }
    assert (
        row["intervals"]["files_cited"]["low"] < row["means"]["files_cited"] < row["intervals"]["files_cited"]["high"]
    )
    (few,) = summary(many[:5])
    assert set(few["intervals"].values()) == {None}
    assert few["differences"] == {}


def test_equal_values_have_no_interval_of_no_width() -> None:
    (row,) = summary(questions(*([said("So [1].")] for _ in range(8))))
    assert row["intervals"]["files_cited"] is None
    assert row["means"]["files_cited"] == 1


def test_the_first_row_is_what_others_are_better_worse_or_merely_higher_than() -> None:
    def both(number: int) -> list[Compared]:
        quick, slow = Seconds(None, 0.1, 1.0 + number / 100), Seconds(None, 0.1, 3.0 + number / 90)
        return [said("So [1].", seconds=quick), said("So [1][2].", "m2", seconds=slow)]

    base, other = summary(questions(*(both(number) for number in range(8))))
    assert base["differences"] == {}
    told = {name: one["verdict"] for name, one in other["differences"].items()}
    assert (told["seconds"], told["files_cited"]) == ("worse", "higher")
    assert told["quotes_verified"] == "cannot tell"
    assert told["seconds_to_first_token"] == "cannot tell"


def test_agreement_is_of_repeats_at_one_temperature() -> None:
    cool = [said("So [1].", temperature=0.0) for _ in range(3)]
    warm = [said("So [1].", temperature=0.8), said("So [2].", temperature=0.8), said("None.", temperature=0.8)]
    first, second = summary(questions([*cool, *warm]))
    assert (first["means"]["equal_text"], first["means"]["cited_jaccard"], first["pairs"]) == (1, 1, 3)
    assert (second["means"]["equal_text"], second["means"]["cited_jaccard"]) == (0, 0)
    assert (second["pairs"], second["citing_pairs"]) == (3, 3)


def test_without_answers_there_is_no_row_and_every_row_names_every_measure() -> None:
    assert summary(questions([])) == []
    (row,) = summary(questions([said("So.")]))
    for part in ("means", "intervals", "questions"):
        assert tuple(row[part]) == MEASURES


def test_differences_are_over_the_questions_that_both_have() -> None:
    base = {f"q{n}": float(n % 3) for n in range(9)}
    more = {name: value + 1 for name, value in base.items() if name != "q0"} | {"other": 99.0}
    few = {f"q{n}": 5.0 for n in range(5)}
    found = paired(base, {"more": more, "few": few, "same": base})
    assert set(found) == {"more", "same"}
    assert (found["more"].mean, found["more"].questions, found["more"].verdict) == (1.0, 8, "better")
    assert (found["same"].mean, found["same"].verdict) == (0.0, "cannot tell")
    assert found["more"].p_holm == 2 * found["more"].p
