"""Which line of a text an offset lies in."""

from __future__ import annotations

import re
from bisect import bisect_right

_END_OF_LINE = re.compile(r"\r\n|\n|\r")


class LineIndex:
    r"""The lines of a text; they end at \r\n, \n or \r."""

    __slots__ = ("_starts",)

    def __init__(self, text: str) -> None:
        self._starts = [end.end() for end in _END_OF_LINE.finditer(text)]

    def line(self, offset: int) -> int:
        """The line, from 1, of the character at `offset` (code points, not negative)."""
        return bisect_right(self._starts, offset) + 1
