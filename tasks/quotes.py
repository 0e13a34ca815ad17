"""Quotations in an answer."""

from __future__ import annotations

import re
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
    found: list[Quotation] = []
    done = 0
    for mark in _MARKS.finditer(answer):
        start = mark.start()
        if start < done or not _opens(answer, start):
            continue
        end = _closing(answer, start)
        if end is not None:
            inner = answer[start + 1 : end - 1].removesuffix("\\")  # of a mark that was escaped
            found.append(Quotation(start, end, inner.strip(_OUTER)))
            done = end
    return found


def _closing(answer: str, start: int) -> int | None:
    """Where the quotation that opens at `start` ends: with its marks nested, else at the first that fits."""
    nested = _nested_closing(answer, start)
    return _first_closing(answer, start) if nested is None else nested


def _first_closing(answer: str, start: int) -> int | None:
    straight = answer[start] in _STRAIGHT
    for mark in _MARKS.finditer(answer, start + 1):
        between = answer[start : mark.start()]
        if straight and (_BLANK_LINE.search(between) or _BRACKETED_NUMBER.search(between)):
            return None
        if mark.group() in _CLOSERS[answer[start]] and _closes(answer, mark.start()):
            return mark.end()
    return None


def _nested_closing(answer: str, start: int) -> int | None:
    open_marks = [answer[start]]
    for mark in _MARKS.finditer(answer, start + 1):
        at, character = mark.start(), mark.group()
        if open_marks[0] in _STRAIGHT and _opens(answer, at) and _BLANK_LINE.search(answer, start, at):
            return None
        if character in _CLOSERS[open_marks[-1]] and _closes(answer, at):
            open_marks.pop()
        elif _opens(answer, at):
            open_marks.append(character)
        if not open_marks:
            return mark.end()
    return None


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
