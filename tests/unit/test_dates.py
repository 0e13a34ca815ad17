"""Dates of filters and of questions: what is read, as what, and what is ignored with a note."""

from __future__ import annotations

import calendar
import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import WhereinError
from tasks.dates import parse_range, question_dates
from tests.unit.corpora import data_folder

TODAY = date(2021, 3, 17)  # a Wednesday


def read(text: str, today: date = TODAY) -> list[str]:
    """The ranges as "first..last", or the day alone."""
    spans = question_dates(text, today).ranges
    return [f"{first}" if first == last else f"{first}..{last}" for first, last in spans]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("1900-02", date(1900, 2, 1), date(1900, 2, 28)),
        (" 2024-02-29 ", date(2024, 2, 29), date(2024, 2, 29)),
        ("0001", date(1, 1, 1), date(1, 12, 31)),
    ],
)
def test_a_filter_is_a_year_a_month_or_a_day(text: str, first: date, last: date) -> None:
    assert parse_range(text) == (first, last)


@pytest.mark.parametrize(
    "text", ["", "24", "2024-13", "2024-02-30", "2023-02-29", "0000", "2024-1-1", "yesterday", "2024-01-01-01", "٢٠٢٤"]
)
def test_a_bad_filter_is_an_error_that_names_flag_and_value(text: str) -> None:
    with pytest.raises(WhereinError) as raised:
        parse_range(text, "--since")
    assert raised.value.code == 2
    assert "--since" in raised.value.message
    assert repr(text) in raised.value.message


@pytest.mark.parametrize(
    "text",
    [
        "What happened on 2 September 1666?",
        "entry for the 2nd of September, 1666",
        "September 2nd, 1666",
        "Sept. 2 1666",
        "1666-09-02",
        "1666/9/2",
        "2.9.1666",
        "02/09/1666",
        "2-Sep-1666",
        "1666 September 2",
        "Sunday 2 September 1666 (1666-09-02)",
        "on Sunday, the 2nd September 1666",
        "1666-09-02T10:30:00Z",
        "am 2. September 1666",
        "le 2 septembre 1666",
        "el 2 de septiembre de 1666",
        "il 2 settembre 1666",
        "the day before 3 September 1666",
        "the day after 1 September 1666",
        "the second of September 1666",
        "notes from 2 September 1666",
        "on the 2nd day of September, 1666",
    ],
)
def test_one_calendar_day(text: str) -> None:
    found = question_dates(text, TODAY)
    assert found.ranges == [(date(1666, 9, 2), date(1666, 9, 2))]
    assert found.day == date(1666, 9, 2)
    assert any("1666-09-02" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("voyage, May 1660", ["1660-05-01..1660-05-31"]),
        ("notes of may 2020", ["2020-05-01..2020-05-31"]),
        ("im März 2021", ["2021-03-01..2021-03-31"]),
        ("1660-05", ["1660-05-01..1660-05-31"]),
        ("in 1666", ["1666-01-01..1666-12-31"]),
        ("the winter of 1671", ["1671-01-01..1671-12-31"]),
        ("between 3 March 1665 and 5 April 1665", ["1665-03-03..1665-04-05"]),
        ("from 3 March to 5 April 1665", ["1665-03-03..1665-04-05"]),
        ("from 3 March 1665 to 5 April", ["1665-03-03..1665-04-05"]),
        ("week of 10 to 16 June 1667", ["1667-06-10..1667-06-16"]),
        ("10-16 June 1667", ["1667-06-10..1667-06-16"]),
        ("June 10 to 16, 1667", ["1667-06-10..1667-06-16"]),
        ("March to May 1665", ["1665-03-01..1665-05-31"]),
        ("2021-03-01 to 2021-03-05", ["2021-03-01..2021-03-05"]),
        ("between 1665 and 1667", ["1665-01-01..1667-12-31"]),
        ("from 1665 to 1667", ["1665-01-01..1667-12-31"]),
        ("in 1665-1667", ["1665-01-01..1667-12-31"]),
        ("vom 3. März bis zum 5. April 1665", ["1665-03-03..1665-04-05"]),
        ("entre le 3 mars et le 5 avril 1665", ["1665-03-03..1665-04-05"]),
        ("del 3 al 5 de abril de 1665", ["1665-04-03..1665-04-05"]),
        ("dal 3 al 5 aprile 1665", ["1665-04-03..1665-04-05"]),
        ("2 and 3 September 1666", ["1666-09-02", "1666-09-03"]),
        ("September and October 1666", ["1666-09-01..1666-09-30", "1666-10-01..1666-10-31"]),
        ("the week of 10 June 1667", ["1667-06-10..1667-06-16"]),
        ("since 2 September 1666", ["1666-09-02..9999-12-31"]),
        ("after 2 September 1666", ["1666-09-03..9999-12-31"]),
        ("before 1666", ["0001-01-01..1665-12-31"]),
        ("until September 1666", ["0001-01-01..1666-09-30"]),
        ("everything from the first days of September 1666", ["1666-09-01..1666-09-07"]),
        ("the last few days of February 1664", ["1664-02-23..1664-02-29"]),
        ("the first three days of May 1660", ["1660-05-01..1660-05-03"]),
        ("the first two weeks of May 1660", ["1660-05-01..1660-05-14"]),
        ("last week of April 1669", ["1669-04-24..1669-04-30"]),
        ("the second week of June 1667", ["1667-06-08..1667-06-14"]),
        ("second half of June 1667", ["1667-06-16..1667-06-30"]),
        ("early June 1665", ["1665-06-01..1665-06-10"]),
        ("mid-August 1665", ["1665-08-11..1665-08-20"]),
        ("at the end of March 1666", ["1666-03-21..1666-03-31"]),
        ("Anfang Mai 1660", ["1660-05-01..1660-05-10"]),
        ("mi-août 1665", ["1665-08-11..1665-08-20"]),
        ("late 1665", ["1665-09-01..1665-12-31"]),
        ("the first half of 1665", ["1665-01-01..1665-06-30"]),
        ("from March 1665 to the end of May 1665", ["1665-03-01..1665-05-31"]),
        ("from March to early May 1665", ["1665-03-01..1665-05-10"]),
        ("from 2 September 1666 onwards", ["1666-09-02..9999-12-31"]),
        ("from May 2020 until today", ["2020-05-01..9999-12-31"]),
        ("notes from September 1666", ["1666-09-01..1666-09-30"]),
        ("since the beginning of May 1660", ["1660-05-01..9999-12-31"]),
        ("until the end of May 1660", ["0001-01-01..1660-05-31"]),
        ("the first forty days of May 1660", ["1660-05-01..1660-05-31"]),
        ("the first May 1660 voyage", ["1660-05-01..1660-05-31"]),
    ],
)
def test_ranges(text: str, ranges: list[str]) -> None:
    assert read(text) == ranges
    assert question_dates(text, TODAY).day is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("the last day of February 1664", date(1664, 2, 29)),
        ("the thirty-first of December 1666", date(1666, 12, 31)),
        ("first day of May 1660", date(1660, 5, 1)),
    ],
)
def test_a_day_told_by_its_place_in_the_month(text: str, day: date) -> None:
    assert question_dates(text, TODAY).day == day


@given(
    st.sampled_from(["first", "last"]),
    st.sampled_from(["days", "few days", "week", "half", "3 days", "two weeks", "fortnight", "40 days"]),
    st.integers(1, 12),
    st.integers(1000, 2199),
)
def test_a_part_of_a_month_lies_in_it(which: str, what: str, month: int, year: int) -> None:
    whole = date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
    for text in (f"the {which} {what} of", "early", "mid", "the end of"):
        ((first, last),) = question_dates(f"{text} {calendar.month_name[month]} {year}", TODAY).ranges
        assert whole[0] <= first <= last <= whole[1]


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("what did I write yesterday", ["2021-03-16"]),
        ("the day before yesterday", ["2021-03-15"]),
        ("today's notes", ["2021-03-17"]),
        ("last week", ["2021-03-08..2021-03-14"]),
        ("this week", ["2021-03-15..2021-03-21"]),
        ("last month", ["2021-02-01..2021-02-28"]),
        ("this month", ["2021-03-01..2021-03-31"]),
        ("last year", ["2020-01-01..2020-12-31"]),
        ("in the last 10 days", ["2021-03-07..2021-03-17"]),
        ("over the past two weeks", ["2021-03-03..2021-03-17"]),
        ("3 days ago", ["2021-03-14"]),
        ("two weeks ago", ["2021-03-01..2021-03-07"]),
        ("a month ago", ["2021-02-01..2021-02-28"]),
        ("last Monday", ["2021-03-15"]),
        ("last Wednesday", ["2021-03-10"]),
        ("last September", ["2020-09-01..2020-09-30"]),
        ("letzte Woche", ["2021-03-08..2021-03-14"]),
        ("vor 3 Tagen", ["2021-03-14"]),
        ("la semaine dernière", ["2021-03-08..2021-03-14"]),
        ("hace dos semanas", ["2021-03-01..2021-03-07"]),
        ("l’anno scorso", ["2020-01-01..2020-12-31"]),
        ("notes from last week about the plan of 2020", ["2021-03-08..2021-03-14", "2020-01-01..2020-12-31"]),
    ],
)
def test_days_told_from_today(text: str, ranges: list[str]) -> None:
    assert read(text) == ranges


def test_a_month_ago_from_a_day_that_month_lacks_is_that_month() -> None:
    assert read("a month ago", date(2021, 3, 31)) == ["2021-02-01..2021-02-28"]


def test_yesterday_is_one_calendar_day_and_last_week_is_not() -> None:
    assert question_dates("yesterday", TODAY).day == date(2021, 3, 16)
    assert question_dates("last week", TODAY).day is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("on 2 September", "no year"),
        ("What happened in September?", "no year"),
        ("31 February 2021", "no such day"),
        ("2021-13-45", "no such day"),
        ("from 5 April 1665 to 3 March 1665", "ends before it begins"),
    ],
)
def test_what_cannot_be_placed_is_ignored_and_said(text: str, reason: str) -> None:
    found = question_dates(text, TODAY)
    assert found.ranges == []
    assert found.day is None
    assert len(found.notes) == 1
    assert "ignored" in found.notes[0]
    assert reason in found.notes[0]


def test_the_one_year_of_a_question_serves_its_other_dates() -> None:
    assert read("what of 2 September and, much later, of 5 October 1666") == ["1666-09-02", "1666-10-05"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "CVE-2024-1234",
        "RFC 1665",
        "PEP 2020",
        "1666",
        "report-2021-03-14.md",
        "version 1.2.2020",
        "in 1500 words",
        "20 to 30 people",
        "may 10 people come",
        "Mars 2020 rover",
        "a built-in Set object",
        "Was ist hier passiert?",
        "1/2000 of them",
        "call 1234-5678",
        "at 10:30",
    ],
)
def test_numbers_and_words_that_are_no_dates_stay_so(text: str) -> None:
    found = question_dates(text, TODAY)
    assert (found.ranges, found.day, found.notes) == ([], None, [])


def test_notes_repeat_the_words_of_the_question() -> None:
    notes = question_dates("What about last  week, and the 2nd of May?", TODAY).notes
    assert notes == [
        "'last week' was read as 2021-03-08 to 2021-03-14",
        "the date 'the 2nd of May' was ignored: it has no year",
    ]


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_every_day_in_figures_is_read_back(day: date) -> None:
    for text in (day.isoformat(), f"{day.day}.{day.month}.{day.year}", f"{day.day:02}/{day.month:02}/{day.year}"):
        assert question_dates(f"on {text} at noon", TODAY).day == day


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_every_day_in_words_is_read_back(day: date) -> None:
    name = calendar.month_name[day.month]
    assert question_dates(f"On {day.day} {name} {day.year}?", TODAY).day == day
    assert question_dates(f"On {name} {day.day}, {day.year}?", TODAY).day == day


_PIECES = st.sampled_from(
    ["2", "16", "31", "1666", "9999", "0", "May", "march", "ſept", "Aprİl", "to", "and", "between", "-", ",", ".", "/",
     "last", "week", "999", "years", "ago", "since", "before", "the day before", "week of", "0001-01-01", "9999-12-31"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=10).map(" ".join) | st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    found = question_dates(text, TODAY)
    assert all(first <= last for first, last in found.ranges)
    assert len(set(found.ranges)) == len(found.ranges)
    assert found.day is None or found.ranges == [(found.day, found.day)]


def test_dated_diary_questions_are_read() -> None:
    folder = data_folder("pepys-diary")
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    for query in map(json.loads, lines):
        answer = query["metadata"].get("answer", "")
        says_it = query["metadata"]["kind"] == "date" and any(c.isdigit() for c in query["text"])
        if says_it:
            assert question_dates(query["text"], TODAY).day == date.fromisoformat(answer)
