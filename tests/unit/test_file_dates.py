"""The day of a file: from its name, its front matter, its first lines."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.records import Document
from tasks.file_dates import file_date

ALL = ("name", "front_matter", "content", "mtime")


def dated(text: str, front_matter: dict[str, Any] | None = None, body_start: int = 0) -> Document:
    return Document(text, "utf-8", body_start, front_matter=front_matter or {})


@pytest.mark.parametrize(
    "path",
    [
        "2021-03-14.md",
        "notes/2021_03_14 walk.md",
        "20210314.txt",
        "IMG_20210314_101112.txt",
        "14.03.2021.txt",
        "report_14_03_2021.md",
        "March 14, 2021.md",
        "14 mars 2021.txt",
        "14-March-2021.md",
        "2021/03/14.md",
        "2021-03-14T10.md",
        "CAFÉ 14 août/2021-03-14.md",
    ],
)
def test_a_name_states_a_day(path: str) -> None:
    assert file_date(path, None, ("name",)) == ("2021-03-14", "name")


@pytest.mark.parametrize(
    "path",
    ["", "notes.md", "2021-03.md", "2021.md", "note-2021-02-30.md", "cve-2024-12-34.md", "10101010.txt",
     "120210314.txt", "03-14-2021.md", "v1.2.3.md"],
)  # fmt: skip
def test_a_name_without_a_whole_valid_day_states_none(path: str) -> None:
    assert file_date(path, None, ("name",)) == (None, None)


def test_the_own_name_counts_before_the_folder() -> None:
    assert file_date("2020-01-01/2021-03-14.md", None, ALL)[0] == "2021-03-14"
    assert file_date("2020-01-01/walk.md", None, ALL)[0] == "2020-01-01"


def test_a_decomposed_name_is_read() -> None:
    assert file_date("14 aou\u0302t 2021.md", None, ALL)[0] == "2021-08-14"


@pytest.mark.parametrize(
    "value",
    [
        date(2021, 3, 14),
        datetime(2021, 3, 14, 23, 59),
        "2021-03-14",
        "14.03.2021",
        "March 14, 2021",
        "2021-03-14T10:00:00Z",
        20210314,
    ],
)
def test_front_matter_states_a_day(value: Any) -> None:
    assert file_date("x.md", dated("", {"Date": value}), ALL) == ("2021-03-14", "front_matter")


def test_front_matter_keys_have_an_order() -> None:
    both = dated("", {"day": "2019-01-01", "created": "2020-01-01", "date": "soon"})
    assert file_date("x.md", both, ALL) == ("2020-01-01", "front_matter")


@pytest.mark.parametrize("value", [None, True, [], {}, "2021-02-30", "soon", 5, ""])
def test_front_matter_without_a_day_states_none(value: Any) -> None:
    assert file_date("x.md", dated("", {"date": value}), ALL) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "Sunday, 2 September 1666\n\nSome of our maids",
        "# 1666-09-02\n",
        "# Meeting notes 1666-09-02",
        "Date: 02.09.1666\ntext",
        "**2 September 1666** we met, and so on and so on and so on and so on and so on and so on and so on.",
        "[1666-09-02 10:00] opened",
        "one\n\n\ntwo\n1666-09-02",
        "\ufeff1666-09-02".removeprefix("\ufeff"),
    ],
)
def test_the_first_lines_state_a_day(text: str) -> None:
    assert file_date("x.md", dated(text), ALL) == ("1666-09-02", "content")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Jan. 1st (Lord’s day).",
        "September 1666",
        "one\ntwo\nthree\n1666-09-02",
        "He was born, as everyone in the village knew, on 2 September 1666, and nobody ever forgot it after that.",
    ],
)
def test_prose_and_later_lines_state_none(text: str) -> None:
    assert file_date("x.md", dated(text), ALL) == (None, None)


def test_front_matter_is_not_content() -> None:
    text = "---\n1666-09-02\n---\nplain"
    assert file_date("x.md", dated(text, body_start=text.index("plain")), ALL) == (None, None)


def test_sources_count_in_the_order_given() -> None:
    document = dated("2003-03-03", {"date": "2002-02-02"})
    assert file_date("2001-01-01.md", document, ("content", "name")) == ("2003-03-03", "content")
    assert file_date("2001-01-01.md", document, ("front_matter", "name")) == ("2002-02-02", "front_matter")
    assert file_date("2001-01-01.md", document, ()) == (None, None)
    assert file_date("2001-01-01.md", document, ("mtime",)) == (None, None)


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)), st.sampled_from(["", "walk ", "a_"]))
def test_every_iso_day_in_a_name_is_read_back(day: date, before: str) -> None:
    assert file_date(f"{before}{day.isoformat()}.md", None, ALL) == (day.isoformat(), "name")


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_name_or_text_breaks_the_reading(path: str, text: str) -> None:
    day, source = file_date(path, dated(text), ALL)
    assert (day is None) == (source is None)


def test_a_huge_first_line_is_read_at_its_beginning_only() -> None:
    assert file_date("x", dated("word " * 100_000 + "1666-09-02"), ALL) == (None, None)
