from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.evaluation_report import ARMS, MEASURES, report
from tests.unit.test_report import Reader
from wherein.pipelines.evaluation.charts import Scale
from wherein.pipelines.evaluation.page import page

WHOLE = report()
SMALL = report(2)


def read(document: dict[str, Any]) -> Reader:
    reader = Reader(page(document))
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def whole() -> Reader:
    return read(WHOLE)


def changed(**keys: Any) -> dict[str, Any]:
    return {**copy.deepcopy(WHOLE), **keys}


def test_nothing_is_fetched_and_nothing_runs(whole: Reader) -> None:
    assert {"script", "img", "link", "iframe", "use"}.isdisjoint(tag for tag, _ in whole.tags)
    assert whole.values("src") == whole.values("href") == []
    assert "url(" not in page(WHOLE)
    assert "@import" not in page(WHOLE)


def test_every_arm_has_its_means_differences_kinds_losses_and_seconds(whole: Reader) -> None:
    text = whole.text
    for arm in WHOLE["arms"]:
        assert f"{arm['means']['nDCG@10']:.3f}" in text
        assert text.count(arm["name"]) >= 5
    for heading in ("Arms", "Differences from current", "By kind of question", "Where answers were lost", "Latency"):
        assert heading in text


def test_an_interval_says_its_numbers_to_those_who_see_no_bars(whole: Reader) -> None:
    low, high = WHOLE["arms"][1]["intervals"]["nDCG@10"]
    labels = whole.values("aria-label")
    assert any(f"95 % interval {low:.3f} to {high:.3f}" in label for label in labels)
    assert len([tag for tag, _ in whole.tags if tag == "svg"]) == len(labels)


def test_the_verdicts_stand_first_with_what_the_questions_can_show(whole: Reader) -> None:
    text = whole.text
    summary = text[: text.index("Notes")]
    assert "Cannot tell" in summary
    assert "42 questions can only show differences of at least 0." in summary


def test_arms_that_gave_the_same_are_no_better() -> None:
    document = changed(arms=[arm for arm in copy.deepcopy(WHOLE["arms"]) if arm["name"] in ("current", "same")])
    text = read(document).text
    assert "The arms gave the same on every question." in text
    assert "Better:" not in text


def test_every_question_can_be_opened_and_says_where_its_answer_was_lost(whole: Reader) -> None:
    for row in WHOLE["rows"]:
        assert row["question"] in whole.text
        for lost in row["lost"]:
            assert f"{lost['relevant']}: {lost['stage']}" in whole.text
    assert "near miss (1)" in whole.text


def test_of_many_lost_answers_the_first_are_named_and_the_rest_counted() -> None:
    document = changed()
    document["rows"][0]["lost"] = [{"relevant": f"lost {at}.md", "stage": "pool"} for at in range(12)]
    text = read(document).text
    assert "lost 4.md: pool" in text
    assert "lost 5.md" not in text
    assert "and 7 more" in text


def test_long_and_short_times_are_told_in_milliseconds() -> None:
    document = changed()
    document["arms"][0]["latency"] = {
        "total": {"median": 7.1264, "p95": 0.0204},
        "rerank": {"median": 0.00018, "p95": 0},
    }
    text = read(document).text
    assert "7,126 (20.4)" in text
    assert "0.18 (0.00)" in text


def test_a_threshold_that_was_not_fitted_has_no_row_of_held_out_shares() -> None:
    text = read(changed(confidence={**WHOLE["confidence"], "weak": None, "none": None})).text
    assert "held out" not in text


def test_losses_are_counted_in_total_and_by_kind(whole: Reader) -> None:
    losses, text = WHOLE["arms"][0]["losses"], whole.text
    assert f"{losses['missed']} of 42" in text
    assert losses["remedies"][0] in text
    assert "paraphrase" in text[text.index("current, by kind") :]


def test_a_stage_that_the_page_does_not_know_is_shown_all_the_same() -> None:
    document = changed()
    document["arms"][0]["losses"]["stages"] = {"pool": 1, "mislaid": 2}
    assert "mislaid" in read(document).text


def test_a_set_that_cannot_rank_is_told_so_once() -> None:
    sentence = "Every arm has nDCG@10 of at least 0.98."
    text = read(changed(cannot_rank=sentence, notes=[sentence, "another"])).text
    assert text.count(sentence) == 1


def test_thresholds_stand_in_the_curve_and_in_numbers(whole: Reader) -> None:
    found = WHOLE["confidence"]
    assert f"weak {found['weak']:.3g}" in whole.text
    assert f"{found['lowest_positive']:.4g}" in whole.text
    assert {"positives", "negatives"} <= {dict(attrs).get("class") for tag, attrs in whole.tags if tag == "path"}


@pytest.mark.parametrize("without", ["intervals", "differences", "kinds", "latency", "losses", "settings"])
def test_what_an_arm_does_not_say_is_left_out(without: str) -> None:
    document = changed()
    for arm in document["arms"]:
        del arm[without]
    assert "Arms" in read(document).text


def test_one_arm_without_rows_confidence_or_notes_is_a_page() -> None:
    document = changed(arms=copy.deepcopy(WHOLE["arms"][:1]), rows=[], confidence=None, notes=[])
    text = read(document).text
    assert "Differences" not in text
    assert "Questions" not in text.replace("Questions made", "")


def test_a_curve_without_a_point_or_a_threshold_is_a_page() -> None:
    empty = {**WHOLE["confidence"], "curve": [], "weak": None, "none": None, "lowest_positive": None, "held_out": {}}
    assert "Confidence" in read(changed(confidence=empty)).text


def test_no_question_and_nothing_answerable_is_a_page() -> None:
    assert "0 questions" in read(changed(golden={**WHOLE["golden"], "questions": 0, "answerable": 0})).text
    assert "Evaluation" in read(report(0)).text


@settings(max_examples=12, deadline=None)
@given(st.text(max_size=30))
def test_no_text_of_files_or_settings_adds_an_element(text: str) -> None:
    def tags(inserted: str) -> list[str]:
        document = copy.deepcopy(SMALL)
        document["arms"][0]["name"] = document["base"] = f"x{inserted}"
        document["arms"][1]["settings"] = {"a": f"x{inserted}"}
        document["golden"]["file"] = f"x{inserted}"
        for row in document["rows"]:
            row["arm"] = f"x{inserted}" if row["arm"] == "current" else row["arm"]
            row["question"] = row["id"] = row["kind"] = row["confidence"] = f"x{inserted}"
            row["top"] = [f"x{inserted}"]
            row["lost"] = [{"relevant": f"x{inserted}", "stage": f"x{inserted}"}]
        document["notes"] = [f"x{inserted}"]
        document["cannot_rank"] = f"y{inserted}"
        document["confidence"]["sentence"] = document["confidence"]["signal"] = f"x{inserted}"
        return [tag for tag, _ in read(document).tags]

    assert tags(f"\"'><b>{text}</svg></details>") == tags("plain")


def test_bars_stay_within_their_place() -> None:
    for value in re.findall(r'(?:x|cx|x1|width)="(-?[\d.]+)%"', page(WHOLE)):
        assert -0.01 <= float(value) <= 100.01
    assert Scale(0, 0).share(1) == 0.5
    assert Scale(0, 1).percent(7) == "100.00%"


def test_the_generated_document_holds_what_the_page_reads() -> None:
    assert [arm["name"] for arm in WHOLE["arms"]] == list(ARMS)
    assert all(set(arm["means"]) == set(MEASURES) for arm in WHOLE["arms"])
