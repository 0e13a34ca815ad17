"""Pieces of a text: words, identifiers with their parts, and scripts written without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tasks.folding import fold, plain
from tasks.stems import exact_form, word_forms

LONGEST_RUN = 4  # parts of an identifier that are also indexed joined
MOST_PARTS = 32  # beyond this an identifier is a blob, and only its whole and parts are indexed
MOST_BORDERS = 4  # pieces of one segment; more is a hash, not a word with a number

_CJK = "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
_CJK += "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABIC = "\u0e01-\u0e2e\u0e30-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
_MARKS += "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
_MARKS += "\u0900-\u0963\u0971-\u0dff\u0f71-\u0f84\u0f90-\u0fbc"
_JOIN = r"(?:::|://|//|->|__|[-_./:@'\\+&~#=?%]|(?<=[0-9]),(?=[0-9]{3}))"
_LETTER = rf"(?:(?![{_CJK}{_SYLLABIC}{_HANGUL}])[^\W_]|[{_MARKS}])"
_NAMED = r"(?<![^\W_])[A-Za-z](?:\+\+|\#)(?![^\W_])"  # C++, C#, F#
_ASCII_PIECE = re.compile(rf"(?P<named>{_NAMED})|(?P<word>[A-Za-z0-9]+(?:{_JOIN}[A-Za-z0-9]+)*)")
_PIECE = (
    rf"(?P<cjk>[{_CJK}]+)|(?P<syllabic>[{_SYLLABIC}]+)|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<named>{_NAMED})|(?P<word>{_LETTER}+(?:{_JOIN}{_LETTER}+)*)"
)
_SPLIT = re.compile(rf"({_JOIN})")
_SYLLABLE = re.compile(
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?.[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u17b6-\u17d3]*"
)
_POSSESSIVE = re.compile(r"'s$", re.IGNORECASE)
_ELISION = re.compile(
    r"^(?:l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quoiqu|dell|all|nell|sull|dall|un|quell|quest)'(?=.)",
    re.IGNORECASE,
)
_TURKISH_SUFFIX = re.compile(r"'[^\W\d_]{1,7}$")  # a name and its case ending: Ankara'da
_COUNTED = re.compile(r"(\d+)(?:st|nd|rd|th|s)", re.IGNORECASE)
_PLURAL = re.compile(r"[A-Z]{2,}s")  # PDFs, which no stemmer takes for a plural
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_GLUED = frozenset("-_'&") | {"__"}  # separators people leave out: e-mail, email; everything else is kept


@cache
def _any_piece() -> re.Pattern[str]:
    return re.compile(_PIECE)


class Piece(NamedTuple):
    """One thing of a text: `forms` each stand for the whole of it, `extra` for its parts or exact spelling."""

    forms: tuple[str, ...]
    extra: tuple[str, ...] = ()


def pieces(text: str, language: str, *, asked: bool) -> list[Piece]:
    """The pieces of a text in order; `asked` when it is a query."""
    found = plain(text)
    pattern = _ASCII_PIECE if found.isascii() else _any_piece()
    made: list[Piece] = []
    for match in pattern.finditer(found):
        made.extend(_read(match.lastgroup or "", match.group(), language, asked))
    return made


def _read(kind: str, text: str, language: str, asked: bool) -> list[Piece]:
    if kind == "word":
        return [_compound(text, language, asked)]
    if kind == "named":
        return [Piece((text.lower(),), (text[0].lower(),))]
    if kind == "hangul":
        return [Piece((text,), tuple(_pairs(list(text))) if len(text) > 2 else ())]
    units = list(text) if kind == "cjk" else _SYLLABLE.findall(text)
    return [Piece((gram,)) for gram in (_asked_grams(units) if asked else _grams(units))]


def _pairs(units: list[str]) -> Iterator[str]:
    return (a + b for a, b in pairwise(units))


def _grams(units: list[str]) -> list[str]:
    """Every unit and every pair of neighbours."""
    return [*units, *_pairs(units)]


def _asked_grams(units: list[str]) -> list[str]:
    """Pairs, and the ideographs that stand alone: a single kana or syllable of a longer run says nothing."""
    if len(units) == 1:
        return units
    han = [False, *(bool(_HAN.fullmatch(unit)) for unit in units), False]
    alone = [u for i, u in enumerate(units) if han[i + 1] and not han[i] and not han[i + 2]]
    return [*alone, *_pairs(units)]


def _compound(text: str, language: str, asked: bool) -> Piece:
    bare = _POSSESSIVE.sub("", text)
    if language in ("ca", "fr", "it"):
        bare = _ELISION.sub("", bare)
    elif language == "tr":
        bare = _TURKISH_SUFFIX.sub("", bare)
    if _GROUPED.fullmatch(bare):
        return Piece((bare.replace(",", "").replace(".", ""), bare.replace(",", ".")))
    return _with_parts(bare, language, asked)


def _with_parts(compound: str, language: str, asked: bool) -> Piece:
    parts, glue = _parts(compound)
    if len(parts) == 1:
        return _single(parts[0], language, asked)
    inner = (*_inner(parts, glue, language, asked), *_exact(compound, language))
    return Piece((*_joined(parts, glue, language, asked), *_acronym(compound)), inner)


def _single(word: str, language: str, asked: bool) -> Piece:
    counted = _COUNTED.fullmatch(word)
    if counted:
        return Piece((fold(word),), _number(counted.group(1)))
    if not word.isalpha() and any(c.isdigit() for c in word):
        return Piece((fold(word),), _number(word)[1:])
    return Piece(word_forms(word, language, asked=asked), _exact(word, language))


def _exact(word: str, language: str) -> tuple[str, ...]:
    exact = exact_form(word, language)
    return (exact,) if exact else ()


def _number(part: str) -> tuple[str, ...]:
    """Digits as written and, where they begin with zeros, without them."""
    bare = part.lstrip("0") or "0"
    return (part, bare) if part.isdigit() and bare != part else (part,)


def _parts(compound: str) -> tuple[list[str], list[str]]:
    """The parts, and what stands between each two of them in the joined form: nothing or a dot."""
    parts: list[str] = []
    glue: list[str] = []
    split = _SPLIT.split(compound)
    for i in range(0, len(split), 2):
        if i:
            glue.append("" if split[i - 1] in _GLUED else ".")
        inner = _borders(split[i])
        parts.extend(inner)
        glue.extend([""] * (len(inner) - 1))
    return parts, [_kept_apart(*each) for each in zip(parts, glue, parts[1:], strict=False)]


def _kept_apart(left: str, glue: str, right: str) -> str:
    return "." if left[-1].isdigit() and right[0].isdigit() else glue


def _borders(segment: str) -> list[str]:
    """A segment cut where a letter meets a digit and at inner capitals: `HTTPServer2` has three parts."""
    if segment.isdigit() or (segment.isalpha() and (segment.isupper() or segment[1:].islower())):
        return [segment]
    if _COUNTED.fullmatch(segment):
        return [segment]
    if _PLURAL.fullmatch(segment):
        return [segment[:-1]]
    cuts = [0, *(i for i in range(1, len(segment)) if _is_border(segment, i)), len(segment)]
    cut = [segment[a:b] for a, b in pairwise(cuts)]
    return cut if len(cut) <= MOST_BORDERS else [segment]


def _is_border(text: str, at: int) -> bool:
    before, here = text[at - 1], text[at]
    if before.isdigit() != here.isdigit():
        return before.isalnum() and here.isalnum()
    if here.isupper():
        return before.islower() or (before.isupper() and text[at + 1 : at + 2].islower())
    return False


def _joined(parts: list[str], glue: list[str], language: str, asked: bool) -> tuple[str, ...]:
    whole = parts[0] + "".join(g + p for g, p in zip(glue, parts[1:], strict=True))
    if "." in whole or any(c.isdigit() for c in whole):
        return (fold(whole),)
    return word_forms(whole, language, asked=asked)


def _inner(parts: list[str], glue: list[str], language: str, asked: bool) -> Iterator[str]:
    """Each part; of a document's numbered or dotted identifier also each run of neighbouring parts.

    A query leaves out parts of one letter beside longer ones: A002 does not ask for every text with an "a".
    """
    telling = [part for part in parts if not asked or len(part) > 1 or part.isdigit()]
    for part in telling or parts:
        single = _single(part, language, asked)
        yield from (*single.forms, *single.extra)
    if asked or len(parts) > MOST_PARTS or not any("." in text or text.isdigit() for text in (*parts, *glue)):
        return
    for size in range(2, min(LONGEST_RUN, len(parts) - 1) + 1):
        for i in range(len(parts) - size + 1):
            yield from _joined(parts[i : i + size], glue[i : i + size - 1], language, asked)


def _acronym(compound: str) -> tuple[str, ...]:
    """Initials without their dots: U.S.A. is also USA."""
    return (fold(compound.replace(".", "")),) if _INITIALS.fullmatch(compound) else ()
