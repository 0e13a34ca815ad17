"""Quoted phrases: which ones a query holds, and which texts hold them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.phrases import contains_phrase, phrases


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", []),
        ("no quotes at all", []),
        ('"red cross" on doors', ["red cross"]),
        ("“red cross” and „rotes Kreuz“", ["red cross", "rotes Kreuz"]),
        ("«croix rouge» »rotes Kreuz« 「赤十字」", ["croix rouge", "rotes Kreuz", "赤十字"]),
        ('"red cross" "red cross"', ["red cross"]),
        ('"red cross," he said', ["red cross"]),
        ('a 27" screen and a 24" one', []),
        ('an "unclosed phrase', []),
        ('"" "  " "?!"', []),
        ("it's the dog's bone", []),
    ],
)
def test_phrases_stand_in_double_quotation_marks(query: str, found: list[str]) -> None:
    assert phrases(query) == found


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("On the Lord’s\n   day", "lord's day"),
        ("mon RÉSUMÉ est prêt", "resume est"),
        ("mon resume", "résumé"),
        ("(plan B)", "plan b"),
        ("国際標準化に関する", "標準化"),
        ("C++ is one", "c++"),
    ],
)
def test_case_accents_spacing_and_quote_marks_are_folded(text: str, phrase: str) -> None:
    assert contains_phrase(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [("", "plan"), ("text", ""), ("plan Bravo", "plan B"), ("a gardener", "garden"), ("cross, red", "red cross")],
)
def test_a_phrase_is_whole_words_in_order(text: str, phrase: str) -> None:
    assert not contains_phrase(text, phrase)


@settings(deadline=None)
@given(st.lists(st.text("abcé", min_size=1), min_size=1, max_size=5), st.data())
def test_every_run_of_words_of_a_text_is_contained(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert contains_phrase("\n".join(words), " ".join(words[start:end]).upper())
