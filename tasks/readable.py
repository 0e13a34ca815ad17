"""The characters of a text that count when its words are looked up, folded, and where each came from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from tasks import markers
from tasks.scripts import unspaced

BREAK = "\u00ad"
"""Stands for a hyphen at a line's end, which may or may not belong to the word."""

Fold = Callable[[str], tuple[str, list[int]]]
"""A folded text, and for each of its characters the place in the text that it came from."""

_QUOTE_MARKS = frozenset("\"＂„“‟”«»「」『』〝〞〟'’‘‚‛‹›`´′″")
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")
_STARS = re.compile(r"(?<!\w)\*+|\*+(?!\w)")

_EMPHASIS = re.compile(r"(?<![^\W_])(?:[*_`]|~~)+|(?:[*_`]|~~)+(?![^\W_])")
_LINE_START = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?=[^\w\s]|\Z)")
_LINK = re.compile(r"!?\[(?P<shown>[^\[\]\n]+)\]\([^()\s]*\)|!?\[\[(?:[^\[\]\n|]*\|)?(?P<named>[^\[\]\n|]+)\]\]")
_HYPHEN_AT_LINE_END = re.compile(r"(?<=[^\W\d_])[-‐]\r?\n[ \t]*(?:>[ \t]?)*(?=[^\W\d_])")
_REFERENCE = re.compile(rf"{markers.TAIL.pattern}|\[\^[^\[\]\s]+\]")


def plain(text: str) -> tuple[str, list[int]]:
    """White space, quote marks and case folded; emphasis asterisks and invisible characters left out."""
    return _folded(text, _within(_STARS, text))


def unmarked(text: str) -> tuple[str, list[int]]:
    """Also without what marks text up: emphasis, links, escapes, the > of block quotations, hyphens at line ends."""
    return _folded(text, _marked_up(text), _breaks(text))


def unreferenced(text: str) -> tuple[str, list[int]]:
    """Also without its own references in brackets, which who quotes it may leave out."""
    return _folded(text, _marked_up(text) | _within(_REFERENCE, text), _breaks(text))


def _marked_up(text: str) -> set[int]:
    dropped = _within(_EMPHASIS, text) | _within(_LINE_START, text) | _within(_ESCAPE, text)
    for found in _LINK.finditer(text):
        shown = found.span(found.lastgroup or 0)
        dropped |= {*range(found.start(), shown[0]), *range(shown[1], found.end())}
    for found in _HYPHEN_AT_LINE_END.finditer(text):
        dropped |= set(range(found.start() + 1, found.end()))
    return dropped


def _breaks(text: str) -> set[int]:
    return {found.start() for found in _HYPHEN_AT_LINE_END.finditer(text)}


def _within(pattern: re.Pattern[str], text: str) -> set[int]:
    return {at for found in pattern.finditer(text) for at in range(*found.span())}


def _folded(text: str, dropped: set[int], breaks: set[int] | None = None) -> tuple[str, list[int]]:
    """A run of white space becomes one space, or none beside a quote mark."""
    folded: list[str] = []
    origins: list[int] = []
    pending = -1
    for character, origin in _characters(text, dropped, breaks or set()):
        if character == " ":
            pending = origin
            continue
        if pending >= 0 and folded and not _tight(folded[-1], character):
            folded.append(" ")
            origins.append(pending)
        pending = -1
        folded.append(character)
        origins.append(origin)
    return "".join(folded), origins


def _tight(before: str, after: str) -> bool:
    return before == '"' or after == '"' or bool(unspaced(before) and unspaced(after))


def _characters(text: str, dropped: set[int], breaks: set[int]) -> Iterator[tuple[str, int]]:
    for start, end in _clusters(text):
        character = text[start]
        if start in breaks:
            yield BREAK, start
        elif start in dropped or character in _INVISIBLE:
            continue
        elif character.isspace():
            yield " ", start
        elif character in _QUOTE_MARKS:
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
