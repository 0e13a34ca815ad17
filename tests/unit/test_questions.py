"""What is stripped from a query because it asks, and what stays because it tells."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.questions import strip_question
from tasks.requests import strip_request


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Who is Brixtelle?", "Brixtelle?"),
        ("what is matrix_vector_multiply", "matrix_vector_multiply"),
        ("When did he taste tea", "he taste tea"),
        ("In which year was it", "year was it"),
        ("How many times did he drink", "times did he drink"),
        ("What’s new", "new"),
        ("WHO IS BRIXTELLE", "BRIXTELLE"),
        ("I had tea. When did I drink it?", "I had tea. I drink it?"),
        ("Wann war das Fest?", "das Fest?"),
        ("Wie viele Häuser gibt es", "Häuser gibt es"),
        ("Qu'est-ce que le vin", "le vin"),
        ("Comment est mort Henri", "mort Henri"),
        ("¿Cuándo murió?", "¿ murió?"),
        ("¿Dónde está el libro?", "¿ el libro?"),
        ("Dov'è il libro", "il libro"),
        ("Dove è il libro", "il libro"),
        ("Panthers savunması kaç sayı bıraktı?", "Panthers savunması sayı bıraktı?"),
        ("Ne zaman öldü?", "öldü?"),
    ],
)
def test_question_words_go(query: str, left: str) -> None:
    assert strip_question(query).split() == left.split()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "The Who",
        "songs by The Who",
        "who",
        "What is?",
        "WHO guidelines",
        '"Who is it" song',
        '"Help! Who is it" song',
        "dove nests",
        "comment on the code",
        "come to the garden",
        "whoever wrote it",
        "tea on Monday",
        "neither here nor there",
        "Kim bought a kettle",
    ],
)
def test_what_may_be_a_name_or_is_all_there_is_stays(query: str) -> None:
    assert strip_question(query) == query


def test_a_verb_written_as_a_name_stays() -> None:
    assert strip_question("Where will Will go").split() == ["Will", "go"]
    assert strip_question("Who is Will").split() == ["Will"]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("find passages that mention the plague", "the plague"),
        ("show me notes about tea", "tea"),
        ("list all entries where he ate", "he ate"),
        ("Please find the passages about boats", "boats"),
        ("notes about tea", "tea"),
        ("I'm looking for boats", "boats"),
        ("Zeige mir alle Notizen über Tee", "Tee"),
        ("trouve les passages qui parlent de vin", "vin"),
        ("busca notas sobre vino", "vino"),
        ("cerca note su vino", "vino"),
    ],
)
def test_request_words_go(query: str, left: str) -> None:
    assert strip_request(query).split() == left.split()


@pytest.mark.parametrize(
    "query", ["", "list comprehension", "search index", "find passages that mention", "note taking", "show business"]
)
def test_a_query_that_is_no_request_stays(query: str) -> None:
    assert strip_request(query) == query


@settings(deadline=None)
@given(st.text())
def test_something_is_always_left(query: str) -> None:
    assert any(c.isalnum() for c in strip_question(query)) == any(c.isalnum() for c in query)
    assert any(c.isalnum() for c in strip_request(query)) == any(c.isalnum() for c in query)
