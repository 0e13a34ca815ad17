"""The split stage: a document's text becomes chunks with exact offsets, lines and headings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from store.records import Span
from tasks.anchors import Spacing, blocks
from tasks.chunker import Chunker, Place, Shape
from tasks.headings import Headings
from tasks.lines import LineIndex

__all__ = ["CHUNKS_PER_BLOCK", "Shape", "split"]

CHUNKS_PER_BLOCK = 16
"""No block has more chunks; an edit makes at most two blocks' chunks new, and one."""


def split(
    text: str, body_start: int, shape: Shape, tokenize: Callable[[str], Sequence[Any]], *, markdown: bool
) -> list[Span]:
    """The chunks of text[body_start:] in order, stripped, never blank, at most `shape.size` tokens each.

    `heading` is the path of the markdown headings at a chunk's start.
    """
    lines = LineIndex(text)
    headings = Headings(text, body_start) if markdown else None
    return [
        Span(start, end, lines.line(start), lines.line(end - 1), headings.at(start) if headings else None)
        for start, end in _places(text, body_start, len(text), _chunker(shape, tokenize), spacing(shape))
    ]


@lru_cache(maxsize=4)
def _chunker(shape: Shape, tokenize: Callable[[str], Sequence[Any]]) -> Chunker:
    return Chunker(shape, tokenize)


def spacing(shape: Shape) -> Spacing:
    """Of blocks for chunks of this shape. Measured: 8 to 9 chunks on average, at least 4, hardly ever over 16."""
    new_tokens = max(shape.size - shape.overlap, shape.size // 2, 1)
    return Spacing(window=4 * new_tokens, longest=13 * new_tokens)


def _places(text: str, start: int, end: int, chunker: Chunker, apart: Spacing) -> Iterator[Place]:
    for block in blocks(text, start, end, apart, chunker.shape.paragraph_separator, chunker.count):
        found = chunker.chunks(text, block.start, block.end)
        if len(found) <= CHUNKS_PER_BLOCK:
            yield from found
        elif apart.window > 1:
            yield from _places(text, block.start, block.end, chunker, apart.halved())
        else:
            middle = (block.start + block.end) // 2
            yield from _places(text, block.start, middle, chunker, apart)
            yield from _places(text, middle, block.end, chunker, apart)
