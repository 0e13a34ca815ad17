from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks import markers
from tasks.sentences import sentences, wrapped_sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, tail=markers.TAIL)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One", ["One"]),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He met Sir W. Batten and Mr. Pett. Then home.", ["He met Sir W. Batten and Mr. Pett.", "Then home."]),
        ("See No. 5 and p. 12. It is so.", ["See No. 5 and p. 12.", "It is so."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("Es war am 3. Mai. Danach Regen.", ["Es war am 3. Mai.", "Danach Regen."]),
        ("Version 3.14 of a.md is out. Good.", ["Version 3.14 of a.md is out.", "Good."]),
        ("Blue. [1] Green [2].", ["Blue. [1]", "Green [2]."]),
        ("Blue. [1][2] Green.", ["Blue. [1][2]", "Green."]),
        ("Blue [1].\n[2] Green.", ["Blue [1].", "[2] Green."]),
        ("It is blue\n[1]\nGreen", ["It is blue\n[1]", "Green"]),
        ("He came ... and went. Done.", ["He came ... and went.", "Done."]),
        ("- one\n- two", ["- one", "- two"]),
        ("青い。赤い！黒い", ["青い。", "赤い！", "黒い"]),
        ("「青い。」と言った。次。", ["「青い。」と言った。", "次。"]),
        ("¿Qué? Nada.", ["¿Qué?", "Nada."]),
    ],
)
def test_where_sentences_of_an_answer_end(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_no_sentence_ends_inside_a_quotation() -> None:
    text = 'He wrote "It rained. We slept." and left. Then "So. It. Was." He went.'
    quoted = [(9, 31), (47, 61)]
    found = [text[start:end] for start, end in sentences(text, quoted)]
    assert found == ['He wrote "It rained. We slept." and left.', 'Then "So. It. Was."', "He went."]


def test_a_question_in_quotation_marks_goes_on() -> None:
    text = '"Will you come?" Pepys asked [1].'
    assert [text[start:end] for start, end in sentences(text, [(0, 16)], markers.TAIL)] == [text]


def test_wrapped_lines_are_one_sentence_but_items_and_paragraphs_are_not() -> None:
    text = "We went by\nwater to Deptford. Then\nhome.\n\nA heading\n- one\n- two"
    found = [text[start:end] for start, end in wrapped_sentences(text)]
    assert found == ["We went by\nwater to Deptford.", "Then\nhome.", "A heading", "- one", "- two"]


@given(st.text(alphabet='aA. \n!?。"“”[1]-'))
def test_sentences_are_ordered_disjoint_and_lose_no_text(text: str) -> None:
    extents = sentences(text, tail=markers.TAIL)
    assert extents == sorted(extents)
    assert all(a[1] <= b[0] for a, b in pairwise(extents))
    assert "".join("".join(text[a:b] for a, b in extents).split()) == "".join(text.split())
