"""The sample corpus and its golden questions agree with each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
ENTRIES = sorted((SAMPLE / "journal").iterdir())
KINDS = {
    "change-of-mind",
    "date",
    "date-range",
    "fact",
    "identifier",
    "list",
    "name",
    "paraphrase",
    "unanswerable",
}
FIELDS = {"id", "question", "relevant", "answerable", "answer", "kind", "made_by"}


def golden() -> list[dict[str, Any]]:
    """Return the golden questions in file order."""
    lines = (SAMPLE / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sources(question: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (path, quotation) for each relevant source; the quotation is empty for a bare path."""
    items = question["relevant"]
    return [(item, "") if isinstance(item, str) else (item["path"], item["quote"]) for item in items]


QUESTIONS = golden()
by_id = pytest.mark.parametrize("question", QUESTIONS, ids=[q["id"] for q in QUESTIONS])


def test_journal_has_at_least_sixty_entries_each_on_a_day_of_its_own() -> None:
    days = [date.fromisoformat(entry.stem) for entry in ENTRIES]
    assert len(days) >= 60
    assert len(set(days)) == len(days)


def test_journal_mixes_markdown_and_plain_text() -> None:
    suffixes = Counter(entry.suffix for entry in ENTRIES)
    assert set(suffixes) == {".md", ".txt"}
    assert suffixes[".md"] > suffixes[".txt"] >= len(ENTRIES) // 5


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])
def test_entry_is_of_moderate_length_and_its_front_matter_bears_the_date_of_its_name(entry: Path) -> None:
    text = entry.read_text(encoding="utf-8")
    assert 60 <= len(text.split()) <= 700
    if text.startswith("---\n"):
        assert f"date: {entry.stem}" in text.split("---\n")[1].splitlines()


def test_question_ids_and_texts_are_unique() -> None:
    for field in ("id", "question"):
        assert [value for value, n in Counter(q[field] for q in QUESTIONS).items() if n > 1] == []


def test_there_are_at_least_sixty_questions_and_each_kind_occurs() -> None:
    assert len(QUESTIONS) >= 60
    assert {q["kind"] for q in QUESTIONS} == KINDS


def test_at_least_ten_questions_have_no_answer() -> None:
    assert sum(not q["answerable"] for q in QUESTIONS) >= 10


@by_id
def test_question_has_exactly_the_known_fields_and_its_author(question: dict[str, Any]) -> None:
    assert set(question) == FIELDS
    assert question["question"].strip() == question["question"] != ""
    assert question["made_by"] == "author"


@by_id
def test_relevant_files_and_an_answer_are_given_exactly_when_answerable(question: dict[str, Any]) -> None:
    assert question["answerable"] is (question["kind"] != "unanswerable")
    assert bool(question["relevant"]) is question["answerable"]
    assert bool(question["answer"]) is question["answerable"]


@by_id
def test_paths_exist_and_quotations_stand_verbatim_in_the_body_of_the_file(question: dict[str, Any]) -> None:
    for path, quote in sources(question):
        text = (SAMPLE / path).read_text(encoding="utf-8")
        body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
        assert quote in body, path
