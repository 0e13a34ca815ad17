from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.quoted_words import Searchable
from tasks.quotes import quotations
from tests.unit.corpora import diary


def found(answer: str) -> list[str]:
    return [quotation.text for quotation in quotations(answer)]


STYLES = ["“{}”", '"{}"', "„{}“", "„{}”", "«{}»", "« {} »", "«\u00a0{}\u00a0»", "»{}«", "”{}”", "»{}»", "＂{}＂",
          "「{}」", "『{}』", "“{}\"", "〝{}〟"]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("frame", ["{}", "He said {} [1].", "({})", "He said: {}, twice", "*{}*", "- {}[1]"])
def test_every_style_of_double_quotation_marks_is_found(style: str, frame: str) -> None:
    assert found(frame.format(style.format("had a very good dinner"))) == ["had a very good dinner"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", []),
        ('"', []),
        ('""', [""]),
        ("He said 'not this one' then.", []),
        ('"he said "no" to me" [1]', ['he said "no" to me']),
        ("“he said “no” to me” [1]", ["he said “no” to me"]),
        ("„er sagte ‚nein‘ zu mir“ [1]", ["er sagte ‚nein‘ zu mir"]),
        ("« il dit “non” alors » [1]", ["il dit “non” alors"]),
        ("『「はい」と言った』[1]", ["「はい」と言った"]),
        ('The 5" pipe and "a real quotation here" [1]', ["a real quotation here"]),
        ('"one never closed [1]. Then "two is closed here" [2].', ["two is closed here"]),
        ('"one [1]\n\n"two is closed here" [2]', ["two is closed here"]),
        ('"over\none line break" [1]', ["over\none line break"]),
        ('"over a paragraph\n\nand on it goes" [1]', ["over a paragraph\n\nand on it goes"]),
        ('"a b c" and "d e f"', ["a b c", "d e f"]),
        ('“one "left open in it” [1]', ['one "left open in it']),
        ('«if [ -z "$x" ]; then » [1]', ['if [ -z "$x" ]; then']),
        ('彼は"とても良い夕食"と言った', ["とても良い夕食"]),
        ("彼は「とても良い夕食」と言った", ["とても良い夕食"]),
        ('"he said "no to me" [1]', ['he said "no to me']),
        ('"cut off at the end', []),
    ],
)
def test_which_quotations_an_answer_has(answer: str, expected: list[str]) -> None:
    assert found(answer) == expected


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("two words", False),
        ("three short words", True),
        ("don't stop-it", False),
        ("良い夕食", False),
        ("とても良い夕", True),
        ("좋은 저녁 식사", True),
        ("좋은 저녁", False),
        ("… — !", False),
    ],
)
def test_how_long_a_quotation_must_be_to_count(text: str, counts: bool) -> None:
    assert quotations(f"“{text}”")[0].counts is counts


PASSAGE = """Up betimes; “No more of that,” says he.
Dined at home, don’t know why, on a *very* good   venison
pasty. Straße, CAFÉ, naïve. Il dit « bien sûr » et part.
今日はとても
良い夕食でした。"""


@pytest.mark.parametrize(
    ("quotation", "words"),
    [
        ("Dined at home", "Dined at home"),
        ("dined AT home,", "Dined at home"),
        ("“no more of that,” says he.", "“No more of that,” says he"),
        ("'no more of that,' says he", "“No more of that,” says he"),
        ("don't know why", "don’t know why"),
        ("a very good venison pasty", "a *very* good   venison\npasty"),
        ("STRASSE, café", "Straße, CAFÉ"),
        ("na\u0069\u0308ve", "naïve"),
        ('dit "bien sûr" et', "dit « bien sûr » et"),
        ("とても良い夕食", "とても\n良い夕食"),
        ("Up betimes … Dined at home", "Up betimes; “No more of that,” says he.\nDined at home"),
        ("Up betimes [...] says he", "Up betimes; “No more of that,” says he"),
        ("Up betimes; … pasty", None),
        ("No … home", None),
        ("venison pasty ... Up betimes", None),
        ("…dined at home…", "Dined at home"),
        ("ined at home", None),
        ("Dined at hom", None),
        ("Dined at house", None),
        ("Dined  home", None),
        ("", None),
        ("…", None),
        ("...", None),
    ],
)
def test_what_is_found_in_a_passage_and_where(quotation: str, words: str | None) -> None:
    extent = Searchable.of(PASSAGE).find(quotation)
    assert (PASSAGE[extent[0] : extent[1]] if extent else None) == words


@given(st.text())
def test_a_text_holds_itself_whole(text: str) -> None:
    searchable = Searchable.of(text)
    assert len(searchable.folded) == len(searchable.origins)
    extent = searchable.find(text)
    assert extent is None or 0 <= extent[0] < extent[1] <= len(text)
    assert Searchable.of(text).folded == searchable.folded


@pytest.fixture(scope="module")
def entries() -> list[str]:
    return diary(40)


@given(data=st.data())
def test_any_run_of_whole_words_is_found_again_at_its_place(entries: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(entries))
    words = text.split()
    first = data.draw(st.integers(0, max(0, len(words) - 4)))
    count = data.draw(st.integers(3, 30))
    wanted = " ".join(words[first : first + count])
    extent = Searchable.of(text).find(wanted)
    assert extent is not None
    assert _bare(text[extent[0] : extent[1]]) == _bare(wanted)


def _bare(text: str) -> str:
    """White space alike, and without the punctuation around it, which an extent may leave out."""
    return re.sub(r"^\W+|\W+$", "", " ".join(text.split()))
