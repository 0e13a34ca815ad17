"""What of a text is prose, and its headings: code, tables, quotations of others and markup are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.sentences import wrapped_sentences

Span = tuple[int, int]
"""Half-open, code points."""

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_NO_PROSE = re.compile(r"\t| {4,}|[ ]{0,3}(?:[|<>]|\[[^\]]+\]:|[-=*_]{3,}\s*$)|.* \| ")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_LONG_LINE = 160
"""Characters beyond which a line is a paragraph, whose first sentence stands for its beginning."""


@dataclass(frozen=True, slots=True)
class Heading:
    """`start` of its line; `body` is what follows it down to the next heading."""

    start: int
    level: int
    title: str
    body: Span


@dataclass(frozen=True, slots=True)
class Layout:
    sentences: tuple[Span, ...]
    headings: tuple[Heading, ...]
    has_code: bool


def layout(text: str) -> Layout:
    """The sentences of a Markdown or plain text, in order, and its ATX headings."""
    paragraphs: list[Span] = []
    marks: list[tuple[int, int, str, int]] = []
    fence, fenced = "", False
    for start, line in _lines(text):
        opened = _FENCE.match(line)
        if fence or opened:
            fenced = True
            fence = "" if fence and opened and opened[1].startswith(fence) else fence or (opened[1] if opened else "")
        elif heading := _ATX.match(line):
            marks.append((start, len(heading[1]), heading[2], start + len(line) + 1))
        else:
            _add(paragraphs, start, line)
    return Layout(tuple(_sentences(text, paragraphs)), tuple(_headings(marks, len(text))), fenced)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for match in _LINE.finditer(text):
        if match.group():
            yield match.start(), match.group().rstrip("\r\n")


def _add(paragraphs: list[Span], start: int, line: str) -> None:
    """Put a line to the paragraph above it, or begin one with it, if it is prose."""
    if not line.strip() or _NO_PROSE.match(line):
        return
    item = _ITEM.match(line)
    end = start + len(line)
    if item is None and paragraphs and 0 <= start - paragraphs[-1][1] <= 2:
        paragraphs[-1] = (paragraphs[-1][0], end)
    else:
        paragraphs.append((start + (item.end() if item else 0), end))


def _sentences(text: str, paragraphs: Sequence[Span]) -> Iterator[Span]:
    for start, end in paragraphs:
        for first, last in wrapped_sentences(text[start:end]):
            yield start + first, start + last


def _headings(marks: Sequence[tuple[int, int, str, int]], length: int) -> Iterator[Heading]:
    ends = [mark[0] for mark in marks[1:]] + [length]
    for (start, level, title, body), end in zip(marks, ends, strict=False):
        yield Heading(start, level, title, (min(body, end), end))


def opening(text: str, passage: Span, sentences: Sequence[Span]) -> int:
    """Where the beginning of a passage ends: its first line, of a long one its first sentence."""
    start = passage[0] + len(text[passage[0] : passage[1]]) - len(text[passage[0] : passage[1]].lstrip())
    line = text.find("\n", start)
    end = min(line if line >= 0 else passage[1], passage[1])
    if end - start <= _LONG_LINE:
        return end
    return next((last for first, last in sentences if last > start + 1), end)


_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)|`+")


def unmarked(text: str) -> str:
    """Links as their text, emphasis and code without marks, white space as one space."""
    return " ".join(_EMPHASIS.sub("", _LINK.sub(r"\1", text)).split())
