"""Names and identifiers that may pin a passage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.analyse import Analyser
from tasks.names import rare_names


def surfaces(query: str) -> list[str]:
    return [name.surface for name in rare_names(query, ["en"])]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", []),
        ("Who is Brixtelle?", ["Brixtelle"]),
        ("visit to the stones near Salisbury, by Mr. Hales", ["Salisbury", "Mr", "Hales"]),
        ("where is RunFailedError specified", ["RunFailedError"]),
        ("RunFailedError semantics", ["RunFailedError"]),
        ("notes on err_msg and tasks/stage.py", ["err_msg", "tasks/stage.py"]),
        ("vitamin C", ["C"]),
        ('the "kestrel" budget', ["kestrel"]),
        ('the "red cross" on doors', ["red", "cross"]),
        ("Lord’s day with Hales’s portrait", ["Hales's"]),
        ("gantry code 7", ["7"]),
        ("Hales and Hales", ["Hales"]),
        ("WHERE IS RULE-A002 BLOCKED", ["RULE-A002"]),
    ],
)
def test_capitalised_quoted_and_identifying_words_are_names(query: str, names: list[str]) -> None:
    assert surfaces(query) == names


@pytest.mark.parametrize(
    "query",
    [
        "Brixtelle",  # the first word is a capital anyway
        "tell me What he ate",
        "what I ate, and what I'd eat",
        "What happened on Sunday, 2 September 1666?",
        "entries of the 5th in 1664",
        "in December and on a Monday",
        "WHAT DID HE EAT",
        "a well-known boat",
    ],
)
def test_question_words_dates_and_loud_queries_are_not(query: str) -> None:
    assert surfaces(query) == []


def test_a_name_stands_for_its_whole_only() -> None:
    (name,) = rare_names("about RULE-A002", ["en"])
    assert name.terms == ("rulea002",)


def test_a_name_has_its_forms_in_every_language() -> None:
    (name,) = rare_names("wrote Müller", ["de", "none"])
    assert set(name.terms) == {"mull", "muell", "muller"}


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_every_name_is_a_term_of_a_text_that_holds_it(query: str) -> None:
    for name in rare_names(query, ["none"]):
        assert set(name.terms) & set(Analyser().document_terms(name.surface, "none"))
