"""Where sentences end, in answers and in passages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spans import Spans

Extent = tuple[int, int]

_CLOSING = "\"”“»«」』’')\\]*_"
_QUOTES = frozenset('"”“»«」』')
_END = re.compile(rf"(?P<mark>[.!?…]+|[。！？｡؟।]+)(?P<closing>[{_CLOSING}]*)|(?P<line>\n)")
_FULL = re.compile(r"\S")
_ITEM = re.compile(r"[ \t]*(?:\n|[-*+•#|>]|\d{1,3}[.)]\s)")
_ITEM_NUMBER = re.compile(r"(?:\A|\n)[ \t]*\d{1,2}\Z")
_GERMAN_MONTH = re.compile("Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez")
_LAST_WORD = re.compile(r"[^\W_][\w.]*\Z")
_TITLES = """adm approx bzw capt cf dept dr gov hon lieut lt mlle mme mr mrs ms prof rev sgt st vgl viz vs wm
z.b d.h u.a i.e e.g"""
_NUMBERED = "art ch col fig figs no nos nr op p par pp sec vol vols"
_BEFORE_NAMES = frozenset(_TITLES.split())
_BEFORE_NUMBERS = frozenset(_NUMBERED.split())


def sentences(text: str, quoted: Sequence[Extent] = (), tail: re.Pattern[str] | None = None) -> list[Extent]:
    """Extents of the sentences of an answer; a line is a paragraph of its own.

    A sentence never ends inside an extent of `quoted`; what `tail` matches after its end belongs to it.
    """
    return _cut(text, _ends(text, quoted, tail, wrapped=False))


def wrapped_sentences(text: str) -> list[Extent]:
    """Extents of the sentences of a text whose lines may be broken anywhere."""
    return _cut(text, _ends(text, (), None, wrapped=True))


def _cut(text: str, ends: Sequence[int]) -> list[Extent]:
    found: list[Extent] = []
    for start, end in zip((0, *ends), (*ends, len(text)), strict=True):
        piece = text[start:end]
        if piece.strip():
            found.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    return found


def _ends(text: str, quoted: Sequence[Extent], tail: re.Pattern[str] | None, wrapped: bool) -> list[int]:
    ends: list[int] = []
    within = Spans(quoted, lambda extent: extent[0])
    for found in _END.finditer(text):
        around = within.last_from(found.start() - 1)
        if around is not None and found.end() < around[1]:
            continue
        after = tail.match(text, found.end()) if tail is not None else None
        end = after.end() if after else found.end()
        if found["line"]:
            if _line_ends(text, found.end(), tail, wrapped):
                ends.append(found.end())
        elif _sentence_ends(text, found, end, tail):
            ends.append(end)
    return ends


def _line_ends(text: str, start: int, tail: re.Pattern[str] | None, wrapped: bool) -> bool:
    """Whether the line break before `start` ends a sentence."""
    if _only_marked(text, start, tail):
        return False
    return bool(_ITEM.match(text, start)) or not _FULL.search(text, start) or not wrapped


def _only_marked(text: str, start: int, tail: re.Pattern[str] | None) -> bool:
    """Whether the line that begins at `start` holds nothing but what belongs to the sentence before."""
    if tail is None:
        return False
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    return re.fullmatch(rf"[ \t>]*(?:{tail.pattern})[\s.]*", line) is not None


def _sentence_ends(text: str, found: re.Match[str], end: int, tail: re.Pattern[str] | None) -> bool:
    rest = text[end : end + 40]
    following = rest.lstrip()[:1]
    if not following:
        return True
    if "\n" in rest[: len(rest) - len(rest.lstrip())]:
        return not _only_marked(text, text.index("\n", end) + 1, tail)
    closes_quote = bool(_QUOTES & set(found["closing"]))
    if found["mark"][0] in "。！？｡":
        return not (closes_quote and following.isalpha() and rest[0] == following)
    marked = end > found.end()
    if (rest[0] == following and not marked) or following.islower():
        return False
    if closes_quote and found["mark"][-1] in "!?" and not marked:
        return False
    return found["mark"] != "." or not _abbreviated(text[max(0, found.start() - 40) : found.start()], rest.lstrip())


def _abbreviated(before: str, following: str) -> bool:
    word = _LAST_WORD.search(before[-24:])
    if word is None:
        return False
    last = word.group().lower()
    if last.isdigit():
        return len(last) < 3 and bool(_GERMAN_MONTH.match(following) or _ITEM_NUMBER.search(before))
    if last in _BEFORE_NUMBERS:
        return following[0].isdigit()
    return last in _BEFORE_NAMES or (len(last) == 1 and last.isalpha())
