"""Quotations: finding them in an answer, and finding their words in a passage."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks.scripts import joins, quotable, unspaced, words

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

_FOLDED = frozenset("\"＂„“‟”«»「」『』〝〞〟'’‘‚‛‹›`´′″")
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")
_EMPHASIS = re.compile(r"(?<!\w)\*+|\*+(?!\w)")
_OUTER = " \t\r\n\u00a0\u202f"
_GAP = re.compile(r"\s*(?:\[\s*(?:…|\.{3})\s*\]|\(\s*(?:…|\.{3})\s*\)|…|\.{3,}|\.\s\.\s\.)\s*")


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
            found.append(Quotation(start, end, answer[start + 1 : end - 1].strip(_OUTER)))
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
    return bool(after) and not after.isspace() and not (before and joins(before))


def _closes(answer: str, at: int) -> bool:
    mark, before, after = answer[at], answer[at - 1 : at], answer[at + 1 : at + 2]
    if mark in _SURE_OPENERS or mark in _SURE_CLOSERS:
        return mark in _SURE_CLOSERS or (mark == "«" and not (after and joins(after)))
    return (mark == "»" or not before.isspace()) and not (after and joins(after))


@dataclass(frozen=True, slots=True)
class Searchable:
    """A text with white space, quote marks and case folded, and where each folded character came from."""

    folded: str
    origins: list[int] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Searchable:
        """Fold a text; emphasis asterisks and invisible characters are left out."""
        folded: list[str] = []
        origins: list[int] = []
        for character, origin in _squeezed(text):
            folded.append(character)
            origins.append(origin)
        return cls("".join(folded), origins)

    def find(self, quotation: str) -> tuple[int, int] | None:
        """Extent of the quotation's words in the text that was folded; its gaps (… or [...]) may hold anything.

        The words must be whole ones, and punctuation at the quotation's end is the answer's own.
        """
        wanted = _trimmed(Searchable.of(quotation).folded)
        at = self._position(wanted, 0)
        if at is not None:
            return self._extent(at, at + len(wanted))
        return self._find_pieces([_trimmed(Searchable.of(piece).folded) for piece in _GAP.split(quotation)])

    def _find_pieces(self, pieces: list[str]) -> tuple[int, int] | None:
        wanted = [piece for piece in pieces if piece]
        if len(pieces) < 2 or not _telling(wanted):
            return None
        first, after = None, 0
        for piece in wanted:
            at = self._position(piece, after)
            if at is None:
                return None
            first, after = (at if first is None else first), at + len(piece)
        return self._extent(first or 0, after)

    def _position(self, wanted: str, start: int) -> int | None:
        at = self.folded.find(wanted, start) if wanted else -1
        while at >= 0:
            if self._whole(at, at + len(wanted)):
                return at
            at = self.folded.find(wanted, at + 1)
        return None

    def _whole(self, start: int, end: int) -> bool:
        return not any(
            0 < at < len(self.folded) and joins(self.folded[at - 1]) and joins(self.folded[at]) for at in (start, end)
        )

    def _extent(self, start: int, end: int) -> tuple[int, int]:
        return self.origins[start], self.origins[end - 1] + 1


def _telling(pieces: list[str]) -> bool:
    """Whether what is left between the gaps says more than words that stand anywhere."""
    return any(quotable(piece) for piece in pieces) or (
        len(pieces) > 1 and all(words(piece) >= 2 or unspaced(piece) >= 3 for piece in pieces)
    )


def _trimmed(folded: str) -> str:
    return folded.lstrip("… ").rstrip(".,;:!?…。、！？，； ")


def _squeezed(text: str) -> Iterator[tuple[str, int]]:
    """Folded characters with their origins; a run of white space is one space, or none beside a quote mark."""
    before, pending = "", -1
    for character, origin in _characters(text):
        if character == " ":
            pending = origin
            continue
        if pending >= 0 and before and not _tight(before, character):
            yield " ", pending
        pending = -1
        yield character, origin
        before = character


def _tight(before: str, after: str) -> bool:
    return before == '"' or after == '"' or bool(unspaced(before) and unspaced(after))


def _characters(text: str) -> Iterator[tuple[str, int]]:
    dropped = {at for found in _EMPHASIS.finditer(text) for at in range(*found.span())}
    for start, end in _clusters(text):
        character = text[start]
        if start in dropped or character in _INVISIBLE:
            continue
        if character.isspace():
            yield " ", start
        elif character in _FOLDED:
            yield '"', start
        else:
            for folded in _caseless(text[start:end]):
                yield folded, start


def _caseless(cluster: str) -> str:
    """Case folded, the four Turkish i as well, of which two are the capital and small letter of the others."""
    return unicodedata.normalize("NFC", cluster).casefold().replace("i\u0307", "i").replace("ı", "i")


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """A character with the marks and the jamo that compose with it."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not (unicodedata.combining(text[at]) or "\u1160" <= text[at] <= "\u11ff"):
            if at > start:
                yield start, at
            start = at
