"""Citation markers in an answer: [1], [1][2], [1, 2], [1-3]."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_RANGE = 100

_RANGE = r"\d{1,3}(?:\s?[-–—]\s?\d{1,3})?"
_ONE = rf"[\[［【]\s?{_RANGE}(?:\s?[,;、]\s?{_RANGE})*\s?[\]］】]"
_GROUP = re.compile(rf"{_ONE}(?:[ \t]?[,;]?[ \t]?{_ONE})*")
_NUMBERS = re.compile(r"(\d{1,3})(?:\s?[-–—]\s?(\d{1,3}))?")
_BLOCK = r"^[ \t]*```[^`\n]*\n.*?(?:^[ \t]*```|\Z)"
_INLINE = r"(?<!`)`(?![`\s])[^`\n]+(?<!\s)`(?!`)"
_CODE = re.compile(f"{_BLOCK}|{_INLINE}", re.DOTALL | re.MULTILINE)

TAIL = re.compile(rf"[ \t]*{_GROUP.pattern}")
"""Markers that follow the end of a sentence belong to it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Markers that stand together: one reference, to one or more passages."""

    start: int
    end: int
    markers: tuple[int, ...]


def groups(answer: str) -> list[Group]:
    """All groups in order; brackets inside code are none."""
    code = [found.span() for found in _CODE.finditer(answer)]
    return [
        Group(found.start(), found.end(), tuple(dict.fromkeys(_read(found.group()))))
        for found in _GROUP.finditer(answer)
        if not any(start <= found.start() < end for start, end in code)
    ]


def without(text: str) -> str:
    """The text without its markers."""
    return TAIL.sub("", text)


def _read(group: str) -> Iterator[int]:
    for first, last in _NUMBERS.findall(group):
        low, high = sorted((int(first), int(last or first)))
        yield from range(low, high + 1) if high - low < LONGEST_RANGE else (low, high)
