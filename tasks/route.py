"""Where a query goes: an identifier to exact keyword search, everything else to the prose mode."""

from __future__ import annotations

import re

_QUOTES = "\"'“”„‟«»‹›‘’「」『』`"
_OUTER = _QUOTES + ".,;:!?¿¡…()[]{}<>"
_PATH = re.compile(r"\w[./\\]+\w|^[.~]?[./\\]+\w")
_ABBREVIATION = re.compile(r"[^\W\d_]\.[^\W\d_]")  # e.g, a.m
_DATE = re.compile(
    r"\d{4}([-./])\d{1,2}(?:\1\d{1,2})?(?:T[\d:.]+Z?)?"  # 2021-03-14, 2021-03
    r"|\d{1,2}([-./])\d{1,2}\2(?:\d{4}|\d{2})|(?:0?[1-9]|1[0-2])[-./]\d{4}"  # 14.03.2021, 03/2021
    r"|(?:1\d|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 20210314
    r"|\d{4}-[Ww]\d{1,2}(?:-\d)?|(?:1\d|20|21)\d\d"  # 2021-W05, 1666
    r"|(?:mid-|early-|late-)?\d{2,4}'?s|\d{1,2}(?:st|nd|rd|th|er|º|ª)"  # mid-1990s, 5th
    r"|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}(?::\d{2})?[ap]m",  # 10:30, 3pm
    re.IGNORECASE,
)
_YEARS = re.compile(r"((?:1\d|20|21)\d\d)[-–/]((?:1\d|20|21)\d\d)")
_COUNTED_WORD = re.compile(r"\d+(?:st|nd|rd|th)?(?:-[^\W\d_]{2,})+")  # 19th-century, 20-year-old
_BOUND = re.compile(r"[-'’]")


def route(query: str) -> str:
    """ "keyword" if the query is one token and that an identifier, else "prose"."""
    tokens = query.split()
    return "keyword" if len(tokens) == 1 and is_identifier(tokens[0]) else "prose"


def is_identifier(token: str) -> bool:
    """Whether a token without spaces names a thing rather than being an everyday word, a time or a date.

    It has a digit, an underscore, an inner capital, only capitals, or is a dotted or slashed path.
    """
    bare = token.strip(_OUTER)
    if not any(c.isalnum() for c in bare) or _is_date(bare) or _is_counted_word(bare):
        return False
    if "_" in token or any(c.isdigit() for c in bare) or any(_has_capitals(part) for part in _BOUND.split(bare)):
        return True
    return _PATH.search(token.strip(_QUOTES)) is not None and not _ABBREVIATION.fullmatch(bare)


def _is_date(word: str) -> bool:
    """A date, a time, or years of which the second is the later: 1665-1667."""
    years = _YEARS.fullmatch(word)
    return years[1] < years[2] if years else _DATE.fullmatch(word) is not None


def _is_counted_word(word: str) -> bool:
    """A number and words of lower case: `20-year-old`, but not `5-HT`."""
    return _COUNTED_WORD.fullmatch(word) is not None and word == word.lower()


def _has_capitals(part: str) -> bool:
    """Only capitals, at least two, or an inner one: a capital after the first letter."""
    letters = [c for c in part if c.isalpha()]
    return any(c.isupper() for c in letters[1:])
