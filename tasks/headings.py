"""Markdown headings, and the path of them that a place in the text lies under."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_OTHER_BLOCK = re.compile(r" {0,3}(?:[>|<]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))|[ ]{4}|\t")

JOINT = " > "
Line = tuple[int, str]
Heading = tuple[int, int, str]
"""(offset of its first line, level from 1, title)"""
Path = list[tuple[int, str]]


class Headings:
    """The headings of markdown text from `start` on: ATX and setext, outside fenced code."""

    def __init__(self, text: str, start: int) -> None:
        lines = ((match.start(), match[1]) for match in _LINE.finditer(text, start))
        found = list(_headings(lines))
        empty: Path = []
        self._offsets = [offset for offset, _, _ in found]
        self._paths = [
            JOINT.join(title for _, title in path if title) for path in accumulate(found, _descend, initial=empty)
        ]

    def at(self, offset: int) -> str | None:
        """The path "A > B" of the headings that begin at or before `offset`."""
        return self._paths[bisect_right(self._offsets, offset)] or None


def _descend(path: Path, heading: Heading) -> Path:
    _, level, title = heading
    return [*[outer for outer in path if outer[0] < level], (level, title)]


def _headings(lines: Iterable[Line]) -> Iterator[Heading]:
    fence = ""
    paragraph = _Paragraph()
    for offset, line in lines:
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened := _FENCE.match(line):
            fence, paragraph = opened[1], _Paragraph()
        elif opened := _ATX.match(line):
            yield offset, len(opened[1]), _title(line[opened.end() :])
            paragraph = _Paragraph()
        elif paragraph.lines and (under := _UNDERLINE.match(line)):
            yield paragraph.lines[0][0], "=-".index(under[1][0]) + 1, paragraph.title()
            paragraph = _Paragraph()
        else:
            paragraph = paragraph.followed_by(offset, line)


class _Paragraph:
    """The lines that an underline would make a heading: none inside a list, a quotation or a table."""

    def __init__(self, *, other: bool = False) -> None:
        self.lines: list[Line] = []
        self._other = other

    def followed_by(self, offset: int, line: str) -> _Paragraph:
        if not line.strip():
            return _Paragraph()
        if self._other or (_OTHER_BLOCK.match(line) and not (self.lines and line[0] in " \t")):
            return _Paragraph(other=True)
        self.lines.append((offset, line))
        return self

    def title(self) -> str:
        return " ".join(line.strip() for _, line in self.lines)


def _closes(line: str, fence: str) -> bool:
    inner = line.strip()
    return len(inner) >= len(fence) and set(inner) == {fence[0]} and not line.startswith("    ")


def _title(rest: str) -> str:
    """Without the closing run of `#` that a heading may end with."""
    title = rest.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title
