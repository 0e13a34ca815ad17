"""Routing: identifiers to keyword search, everything else to prose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.route import route


@pytest.mark.parametrize(
    "query",
    [
        "RULE-A002",
        "CVE-2024-1234",
        "XPS9380",
        "A002",
        "2024-1234",
        "4821",
        "PEP1",
        "snake_case",
        "_private",
        "__init__",
        "camelCase",
        "RunFailedError",
        "iPhone",
        "NASA",
        "T-SQL",
        "os.path",
        "tasks/stage.py",
        "/etc/hosts",
        "C:\\Windows",
        "~/notes",
        ".env",
        "v1.2.3",
        "name@example.org",
        "https://example.org/a",
        '"RULE-A002"',
        "  RULE-A002?  ",
        "5-HT",
    ],
)
def test_a_single_identifier_goes_to_keyword(query: str) -> None:
    assert route(query) == "keyword"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?",
        "tea",
        "Brixtelle",
        '"Brixtelle"',
        "I",
        "A",
        "What?",
        "well-known",
        "Jean-Luc",
        "X-ray",
        "mother-in-law",
        "don't",
        "20-year-old",
        "19th-century",
        "e.g.",
        "hello...",
        "国際標準化",
        "Über",
        "RULE-A002 blocks",
        "where is RunFailedError specified",
    ],
)
def test_words_and_sentences_go_to_prose(query: str) -> None:
    assert route(query) == "prose"


@pytest.mark.parametrize(
    "query",
    ["2021-03-14", "2021-03", "1666", "1665-1667", "31/12/1664", "14.03.2021", "20210314", "03/2021", "2021-W05",
     "1990s", "mid-1990s", "5th", "10:30", "3pm", "2021-03-14T10:30"],
)  # fmt: skip
def test_dates_and_times_go_to_prose(query: str) -> None:
    assert route(query) == "prose"


@settings(deadline=None)
@given(st.text())
def test_only_a_single_token_goes_to_keyword(query: str) -> None:
    assert route(query) in ("keyword", "prose")
    if len(query.split()) != 1:
        assert route(query) == "prose"
