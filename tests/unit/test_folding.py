"""Folding: what reads the same compares the same, and what differs stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.folding import fold, lower, plain, spelled_out, squeeze


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("ABC", "abc"),
        ("Résumé", "resume"),
        ("ÅNGSTRÖM", "angstrom"),
        ("Straße", "strasse"),
        ("Œuvre", "oeuvre"),
        ("Łódź", "lodz"),
        ("ΑΘΉΝΑ", "αθηνα"),
        ("İSTANBUL ışık", "istanbul isik"),
        ("ёлка", "елка"),
        ("ﬁne", "fine"),
    ],
)
def test_case_and_accents_are_folded(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(("one", "other"), [("が", "か"), ("й", "и"), ("की", "क"), ("ñandú", "mandu")])
def test_marks_that_make_another_letter_stay(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@settings(deadline=None)
@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(deadline=None)
@given(st.text())
def test_decomposed_text_folds_like_composed_text(text: str) -> None:
    import unicodedata

    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


def test_turkish_has_two_letters_i() -> None:
    assert lower("IŞIK İL", "tr") == "ışık il"
    assert lower("IL", "en") == "il"


def test_umlauts_are_spelled_out_only_where_the_language_does_so() -> None:
    assert spelled_out("häuser", "de") == "haeuser"
    assert spelled_out("århus", "da") == "aarhus"
    assert spelled_out("häuser", "fi") == "häuser"


def test_typographic_punctuation_becomes_plain() -> None:
    assert plain("“What’s—new”") == '"What\'s-new"'
    assert plain("co\u00adoperate") == "cooperate"


def test_a_mixed_fraction_stays_two_numbers() -> None:
    assert plain("6½").split() == ["6", "1⁄2"]


def test_squeezed_text_has_single_spaces() -> None:
    assert squeeze("  The  Lord’s\n day ") == "the lord's day"
