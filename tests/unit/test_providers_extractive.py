from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.cite import REFUSAL, cite
from tasks.providers.extractive import extract
from tasks.synthesise import synthesise
from tests.unit.corpora import diary
from tests.unit.hits import hits
from tests.unit.scripted import request


def test_the_best_sentences_are_quoted_and_cited() -> None:
    passages = ["We had rain all day. The cat slept on the sofa.", "The cat caught a grey mouse in the barn."]
    assert extract("Which mouse did the cat catch?", passages) == (
        "“The cat caught a grey mouse in the barn.” [2]\n\n“The cat slept on the sofa.” [1]"
    )


def test_a_term_that_few_passages_have_weighs_more() -> None:
    passages = ["The garden was green in spring.", "The garden was dry in summer.", "The garden had a well."]
    assert extract("garden well", passages).startswith("“The garden had a well.” [3]")


@pytest.mark.parametrize(
    ("question", "passages"), [("cat", []), ("cat", ["No such animal here."]), ("", ["Some text."])]
)
def test_nothing_shared_is_a_refusal(question: str, passages: list[str]) -> None:
    assert extract(question, passages) == REFUSAL


def test_the_same_sentence_is_quoted_once() -> None:
    assert extract("grey mouse", ["A grey mouse came by."] * 3) == "“A grey mouse came by.” [1]"


def test_the_marks_of_a_list_or_heading_are_not_quoted() -> None:
    assert extract("grey mouse", ["- one thing here\n- a grey mouse came"]) == "“a grey mouse came” [1]"


@pytest.mark.parametrize(
    "passage",
    [
        'He said "the mouse is grey" to me.',
        "He said “the mouse is grey” to me.",
        "He said the mouse is grey” to me.",
        'The 5" mouse is grey and "so on.',
        "Er sagte „the mouse is grey“ zu mir.",
        "The mouse is grey [3] as others say [12].",
    ],
)
def test_a_sentence_with_quotation_marks_of_its_own_is_still_verified(passage: str) -> None:
    (citation,) = cite(extract("grey mouse", [passage]), hits(passage)).citations
    assert citation.verified is True


def test_a_japanese_question_finds_its_sentence() -> None:
    passage = "昨日は雨が降っていました。夕方に友だちと夕食を食べました。"
    assert extract("夕食は誰と食べましたか", [passage]).startswith("“夕方に友だちと夕食を食べました。” [1]")


def test_every_sentence_of_the_diary_that_is_quoted_is_verified() -> None:
    entries = diary(60)
    unverified = []
    for first in range(0, 60, 6):
        passages = entries[first : first + 6]
        answer = extract("What did the King and my Lord say at dinner about money and the ships?", passages)
        cited = cite(answer, hits(*passages))
        assert cited.citations
        unverified += [c for c in cited.citations if c.verified is not True]
    assert unverified == []


@given(st.text(max_size=40), st.lists(st.text(max_size=80), max_size=4))
def test_the_same_input_gives_the_same_answer_and_never_an_unknown_marker(question: str, passages: list[str]) -> None:
    answer = extract(question, passages)
    assert answer == extract(question, passages)
    assert cite(answer, hits(*passages)).unknown_markers == ()


def test_it_answers_where_no_server_is_named() -> None:
    pieces: list[str] = []
    asked = request(question="grey mouse", passages=("A grey mouse came by.",))
    generation = synthesise(None, asked, pieces.append)
    assert generation.text == "".join(pieces) == "“A grey mouse came by.” [1]"
    assert (generation.controlled, generation.usage.prompt_tokens) == (True, None)
