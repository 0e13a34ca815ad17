"""Passages that follow one another in a file, read as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from store.records import Hit

SEAM_CHARACTERS = 4
"""White space that may lie between two chunks of a file, and belongs to neither."""


def joined(hits: Sequence[Hit]) -> Iterator[tuple[tuple[int, int], Hit]]:
    """The markers of each two neighbours, and one hit with the text of both."""
    ordered = sorted(enumerate(hits, start=1), key=lambda each: (each[1].char_start, each[0]))
    for marker, hit in ordered:
        following = (each for each in ordered if _follows(hit, each[1]))
        after = next(following, None)
        if after is not None:
            yield (marker, after[0]), _both(hit, after[1])


def _follows(first: Hit, second: Hit) -> bool:
    same = (first.collection, first.path) == (second.collection, second.path)
    return same and first.char_start < second.char_start <= first.char_end + SEAM_CHARACTERS < second.char_end


def _both(first: Hit, second: Hit) -> Hit:
    shared = first.char_end - second.char_start
    seam = "\n" * (second.line_start - first.line_end) or " "
    text = first.text + (second.text[shared:] if shared >= 0 else seam + second.text)
    return replace(first, text=text, line_end=second.line_end, char_end=second.char_end)
