"""Every planted error of citation is caught, and nothing that is right raises an alarm."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tasks.cite import cite
from tasks.scripts import quotable
from tests.planted.errors import PLANTED
from tests.planted.passages import JOURNAL
from tests.planted.right import RIGHT
from tests.planted.verdicts import Planted, judged
from tests.unit.hits import hits

STYLES = ["“{}”", '"{}"', "„{}“", "„{}”", "«{}»", "« {} »", "»{}«", "”{}”", "＂{}＂", "「{}」", "『{}』", "〝{}〟"]
FRAMES = ["He says {} [1].", "{} [1]", "{}.[1]", "- {} [1]\n- more [2]", "In [1] he says {}.", "{}. [1] Next."]
INNER = re.compile(r"[\"“”„«»「」『』〝〞〟＂]|\n\s*\n")


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.kind)
def test_a_planted_error_is_caught(case: Planted) -> None:
    assert judged(case) == case.verdict


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.kind)
def test_a_right_answer_raises_no_alarm(case: Planted) -> None:
    assert judged(case) == case.verdict


@cache
def entries() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(JOURNAL.iterdir())]


@st.composite
def copied(draw: st.DrawFn) -> tuple[str, list[str]]:
    """An entry of the journal, and three words or more that follow one another in it."""
    entry = draw(st.sampled_from(entries()))
    words = entry.split(" ")
    first = draw(st.integers(0, max(0, len(words) - 4)))
    return entry, " ".join(words[first : first + draw(st.integers(3, 25))]).strip().split(" ")


def verdicts(entry: str, quotation: str, style: str, frame: str) -> list[bool | None]:
    answer = frame.format(style.format(quotation))
    cited = cite(answer, hits(entry, "Nothing else of note happened."))
    return [citation.verified for citation in cited.citations if citation.quote is not None]


@settings(max_examples=150, deadline=None)
@given(copied(), st.sampled_from(STYLES), st.sampled_from(FRAMES))
def test_words_of_a_passage_in_any_marks_are_verified(drawn: tuple[str, list[str]], style: str, frame: str) -> None:
    entry, words = drawn
    quotation = " ".join(words)
    assume(quotable(quotation))
    found = verdicts(entry, quotation, style, frame)
    assert False not in found, "marks within it may cut it short, and still raise no alarm"
    assert found == [True] or INNER.search(quotation)


@settings(max_examples=150, deadline=None)
@given(copied(), st.sampled_from(STYLES), st.sampled_from(FRAMES), st.data())
def test_with_one_word_changed_they_are_not(
    drawn: tuple[str, list[str]], style: str, frame: str, data: st.DataObject
) -> None:
    entry, words = drawn
    at = data.draw(st.integers(0, len(words) - 1))
    word = re.sub(r"\A\W+|\W+\Z", "", words[at])
    assume(word)
    other = data.draw(st.sampled_from(["zebra", f"{word}x", f"x{word}", f"{word} not"]))
    changed = " ".join([*words[:at], words[at].replace(word, other, 1), *words[at + 1 :]])
    assume(quotable(changed) and not INNER.search(changed))
    assert verdicts(entry, changed, style, frame) == [False]
