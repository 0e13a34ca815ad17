"""Quotations in an answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from tasks.scripts import joins, quotable

_STRAIGHT = '"＂'
_CLOSERS = {
    '"': '"',
    "＂": "＂",
    "„": '“”"‟',
    "“": '”"',
    "‟": '”"',
    "”": '”"',
    "«": "»",
    "»": "«»",
    "「": "」",
    "『": "』",
    "〝": "〞〟",
}
_MARKS = re.compile(r"[\"＂„“‟”«»「」『』〝〞〟]")
_SURE_OPENERS = frozenset("„«「『〝")
_SURE_CLOSERS = frozenset("」』〞〟")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BRACKETED_NUMBER = re.compile(r"\[\d")

DEEPEST = 6
"""Quotations within quotations: more are marks that nothing closes."""
_OUTER = " \t\r\n\u00a0\u202f"


@dataclass(frozen=True, slots=True)
class Quotation:
    """A text in double quotation marks of any style; the extent includes the marks."""

    start: int
    end: int
    text: str

    @property
    def counts(self) -> bool:
        """Whether it is long enough to be looked up."""
        return quotable(self.text)


def quotations(answer: str) -> list[Quotation]:
    """The outermost quotations in order. A mark that nothing closes opens none."""
    marks = _Marks(answer)
    found: list[Quotation] = []
    done = 0
    for number, start in enumerate(marks.places):
        if start < done or not marks.opens[number]:
            continue
        end = marks.closing(number)
        if end is not None:
            inner = answer[start + 1 : end - 1].removesuffix("\\")  # of a mark that was escaped
            found.append(Quotation(start, end, inner.strip(_OUTER)))
            done = end
    return found


class _Marks:
    """The quotation marks of an answer, looked at once: their number may be large, and none of them paired."""

    def __init__(self, answer: str) -> None:
        self.places = [mark.start() for mark in _MARKS.finditer(answer)]
        self.opens = [_opens(answer, at) for at in self.places]
        self._closes = [_closes(answer, at) for at in self.places]
        self._characters = [answer[at] for at in self.places]
        self._blank = [found.start() for found in _BLANK_LINE.finditer(answer)]
        self._numbers = [found.start() for found in _BRACKETED_NUMBER.finditer(answer)]
        self._closing_places: dict[str, list[int]] = {}
        for at, character, closes in zip(self.places, self._characters, self._closes, strict=True):
            if closes:
                self._closing_places.setdefault(character, []).append(at)

    def closing(self, number: int) -> int | None:
        """Where the quotation that a mark opens ends: with its marks nested, else at the first that fits."""
        nested = self._nested(number)
        return self._first(number) if nested is None else nested

    def _first(self, number: int) -> int | None:
        start, character = self.places[number], self._characters[number]
        following = (_after(self._closing_places.get(closer, []), start) for closer in _CLOSERS[character])
        end = min((at for at in following if at is not None), default=None)
        if end is None or (character in _STRAIGHT and (self._is_blank(start, end) or self._is_cited(start, end))):
            return None
        return end + 1

    def _nested(self, number: int) -> int | None:
        start = self.places[number]
        open_marks = [self._characters[number]]
        for other in range(number + 1, len(self.places)):
            if open_marks[0] in _STRAIGHT and self.opens[other] and self._is_blank(start, self.places[other]):
                return None
            if self._characters[other] in _CLOSERS[open_marks[-1]] and self._closes[other]:
                open_marks.pop()
            elif self.opens[other]:
                open_marks.append(self._characters[other])
            if not open_marks:
                return self.places[other] + 1
            if len(open_marks) > DEEPEST:
                return None
        return None

    def _is_blank(self, start: int, end: int) -> bool:
        at = _after(self._blank, start)
        return at is not None and at < end

    def _is_cited(self, start: int, end: int) -> bool:
        at = _after(self._numbers, start)
        return at is not None and at < end


def _after(places: list[int], start: int) -> int | None:
    """The first of some places, in order, that lies behind `start`."""
    found = bisect_right(places, start)
    return places[found] if found < len(places) else None


def _opens(answer: str, at: int) -> bool:
    mark, before, after = answer[at], answer[at - 1 : at], answer[at + 1 : at + 2]
    if mark in _SURE_OPENERS or mark in _SURE_CLOSERS:
        return mark in _SURE_OPENERS
    return bool(after) and not after.isspace() and not _letter(before)


def _closes(answer: str, at: int) -> bool:
    mark, before, after = answer[at], answer[at - 1 : at], answer[at + 1 : at + 2]
    if mark in _SURE_OPENERS or mark in _SURE_CLOSERS:
        return mark in _SURE_CLOSERS or (mark == "«" and not _letter(after))
    return (mark == "»" or not before.isspace()) and not _letter(after)


def _letter(beside: str) -> bool:
    """Whether a mark stands within a word; an underscore beside it is emphasis."""
    return bool(beside) and beside != "_" and joins(beside)
