"""Block boundaries: where they fall, how far apart, and that an edit moves only those beside it."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.anchors import KEY_CHARACTERS, Block, Spacing, blocks

SPACING = Spacing(window=40, longest=130)
WORDS = ["river", "stone", "lamp", "oak", "winter", "boat", "north", "glass", "bell", "ink", "salt", "field"]


def count(text: str) -> int:
    return max(len(re.findall(r"\w+|[^\w\s]", text)), -(-len(text) // 8))


def cut(text: str, start: int = 0) -> list[Block]:
    return blocks(text, start, len(text), SPACING, "\n\n", count)


def words(seed: int, number: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=number)


def sentences(seed: int, number: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(3, 12))).capitalize() + "." for _ in range(number)]


def joined(parts: list[str], each: int, within: str, between: str) -> str:
    return between.join(within.join(parts[at : at + each]) for at in range(0, len(parts), each))


def test_no_text_and_short_text_are_one_block() -> None:
    assert [(b.start, b.end) for b in cut("")] == [(0, 0)]
    assert [(b.start, b.end) for b in cut("One.\n\nTwo.")] == [(0, 10)]


def test_the_text_before_the_start_is_in_no_block() -> None:
    text = joined(sentences(1, 300), 3, " ", "\n\n")
    assert cut(text, 500)[0].start == 500


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_boundaries_fall_between_paragraphs_where_there_are_any(newline: str) -> None:
    text = joined(sentences(2, 600), 3, " ", newline * 2)
    found = cut(text)
    assert len(found) > 20
    assert all(text.startswith(newline * 2, block.start) for block in found[1:])


def test_boundaries_fall_between_lines_where_there_are_no_paragraphs() -> None:
    text = joined(sentences(3, 600), 3, " ", "\n")
    found = cut(text)
    assert len(found) > 20
    assert all(text[block.start - 1] == "\n" for block in found[1:])


@pytest.mark.parametrize(("end", "gap"), [(".", " "), ("!”", " "), ("。", "")])
def test_boundaries_fall_between_sentences_where_there_are_no_lines(end: str, gap: str) -> None:
    text = gap.join(sentences(4, 600)).replace(".", end)
    found = cut(text)
    assert len(found) > 20
    assert all(text[: block.start].rstrip().endswith(end) and text[block.start] != " " for block in found[1:])


def test_boundaries_fall_between_words_where_there_are_no_sentences() -> None:
    text = " ".join(words(5, 3000))
    found = cut(text)
    assert len(found) > 20
    assert all(text[block.start - 1] == " " for block in found[1:])


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "".join(words(6, 4000)), "".join(chr(0x4E00 + ord(c)) for c in "".join(words(7, 1000)))]
)
def test_text_without_white_space_is_divided_all_the_same(text: str) -> None:
    found = cut(text)
    assert len(found) > 5
    assert max(count(text[b.start : b.end]) for b in found) <= 1.1 * SPACING.longest


@pytest.mark.parametrize("part", ["Same again.\n\n", "Same again.\n", "Same again. "])
def test_repeated_text_is_divided_at_its_own_joints(part: str) -> None:
    text = part * 2000
    found = cut(text)
    assert len({b.end - b.start for b in found[1:-1]}) == 1
    assert all(text[b.start :].lstrip().startswith("Same") for b in found)


def test_a_boundary_is_at_least_a_window_from_the_next() -> None:
    text = joined(sentences(8, 3000), 2, " ", "\n\n")
    assert min(b.tokens for b in cut(text)) >= SPACING.window


def test_a_paragraph_inserted_or_taken_out_moves_only_boundaries_beside_it() -> None:
    paragraphs = [" ".join(sentences(seed, 3)) for seed in range(400)]
    whole = "\n\n".join(paragraphs)
    for at in range(20, 380, 23):
        before, after = "\n\n".join(paragraphs[:at]), "\n\n" + "\n\n".join(paragraphs[at:])
        for edited in (before + "\n\nA quite new paragraph." + after, before + after[len(paragraphs[at]) + 2 :]):
            old = {whole[b.start : b.end] for b in cut(whole)}
            assert sum(edited[b.start : b.end] not in old for b in cut(edited)) <= 3


PIECES = st.sampled_from(["a", "oak ", "Boat. ", "x" * 90, "\n", "\n\n", "\r\n\r\n", "漢字。", " " * 30, "é!”\t", "🚲"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PIECES, st.integers(1, 40)), max_size=60), st.integers(0, 30))
def test_blocks_follow_each_other_over_the_whole_text_and_are_not_too_long(
    runs: list[tuple[str, int]], start: int
) -> None:
    text = "".join(piece * times for piece, times in runs)
    start = min(start, len(text))
    found = cut(text, start)
    assert [b.start for b in found] == [start, *[b.end for b in found[:-1]]]
    assert found[-1].end == len(text)
    assert all(b.start < b.end for b in found) or start == len(text)
    assert all(b.tokens <= SPACING.longest or b.end - b.start <= 2 for b in found)
    assert found == cut(text, start)


def test_what_lies_beyond_the_key_does_not_move_a_boundary() -> None:
    paragraphs = [f"{name} {name} {name} " + "so it went on and on " * 6 for name in words(9, 200)]
    text = "\n\n".join(f"{number} {paragraph}" for number, paragraph in enumerate(paragraphs))
    starts = [b.start for b in cut(text)[1:]]
    for start in starts:
        at = text.index("on", start + 2 + KEY_CHARACTERS)
        assert [b.start for b in cut(text[:at] + "by" + text[at + 2 :])[1:]] == starts
