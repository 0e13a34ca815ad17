from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.negation import negates
from tasks.neighbours import joined
from tasks.quoted_words import Quoted
from tasks.readable import plain, unmarked, unreferenced
from tests.planted.passages import numbered


@given(st.text())
@pytest.mark.parametrize("fold", [plain, unmarked, unreferenced])
def test_every_folded_character_came_from_the_text_in_its_order(fold, text: str) -> None:  # type: ignore[no-untyped-def]
    folded, origins = fold(text)
    assert len(folded) == len(origins)
    assert origins == sorted(origins)
    assert all(0 <= origin < len(text) for origin in origins)
    assert fold(text) == (folded, origins)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a _b c_ d", "a b c d"),
        ("snake_case and __init__", "snake_case and init"),
        ("**bold** `code` ~~gone~~ ~5", "bold code gone ~5"),
        ("[shown](to/there.md) and ![[pic.png]]", "shown and pic.png"),
        ("[[Note|called so]] [[Note]]", "called so note"),
        ("> one\n> two", "one two"),
        (r"\*not\* C:\Users", r"not c:\users"),
        ("if [ -z x ]; then [1] a[1]", "if [ -z x ]; then [1] a[1]"),
    ],
)
def test_markup_is_no_part_of_what_is_read(text: str, read: str) -> None:
    assert unmarked(text)[0] == read


def test_references_of_a_text_may_be_left_out_but_not_changed() -> None:
    text = Quoted("Masks help [2], as shown[^3] by others [14, 15].")
    assert text.find("Masks help, as shown by others")
    assert text.find("Masks help [2], as shown")
    assert text.find("Masks help [3], as shown by others") is None
    assert text.find("Masks help, as shown by others", whole=True) is None


@pytest.mark.parametrize(
    ("quotation", "found"),
    [
        ("the harbourmaster said", True),
        ("a well-known boat", True),
        ("a wellknown boat", True),
        ("pre- and post-war", True),
        ("the har-\nbourmaster said", True),
        ("the har bourmaster said", False),
        ("the harbormaster said", False),
        ("harbourmaster said nothing", False),
    ],
)
def test_a_hyphen_at_a_lines_end_may_belong_to_the_word_or_not(quotation: str, found: bool) -> None:
    text = Quoted("So the har-\nbourmaster said of a well-\nknown boat, pre-\nand post-war.")
    assert (text.find(quotation) is not None) == found


@pytest.mark.parametrize("text", ["did not go", "didn’t", "nicht", "Ne jamais", "لم يندم", "不是", "沈まない"])
def test_a_negation_is_seen(text: str) -> None:
    assert negates(text)


@pytest.mark.parametrize("text", ["", "knotted notes", "nota bene", "sehr", "是", "went"])
def test_other_words_are_none(text: str) -> None:
    assert not negates(text)


def test_neighbours_in_a_file_are_read_as_one_and_others_are_not() -> None:
    assert list(joined([])) == []
    assert list(joined(numbered("chisel wall"))) == []
    assert list(joined(numbered("mill 1 3"))) == []
    (pair, both), (other, _) = joined(numbered("mill 2 1 3"))
    assert (pair, other) == ((2, 1), (1, 3))
    assert "in two halves. The wheel" in both.text


def test_an_overlap_of_neighbours_stands_once() -> None:
    first, second, _ = numbered("mill 1 2 3")
    earlier = replace(second, text=first.text[-10:] + " " + second.text, char_start=first.char_end - 10)
    ((_, both),) = joined([first, earlier])
    assert both.text == f"{first.text} {second.text}"
