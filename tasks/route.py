"""Where a query goes: an identifier to exact keyword search, everything else to the prose mode."""

from __future__ import annotations

import re

_QUOTES = "\"'“”„‟«»‹›‘’「」『』`"
_OUTER = _QUOTES + ".,;:!?¿¡…()[]{}<>"
_PATH = re.compile(r"[\w~@-]*[./\\]+[\w-]+(?:[./\\@:-]+[\w-]*)*|\w[\w.+-]*@[\w-]+(?:\.[\w-]+)+")
_DATE = re.compile(
    r"\d{4}([-./])\d{1,2}(?:\1\d{1,2})?(?:T[\d:.]+Z?)?"  # 2021-03-14, 2021-03
    r"|\d{1,2}([-./])\d{1,2}\2(?:\d{4}|\d{2})|(?:0?[1-9]|1[0-2])[-./]\d{4}"  # 14.03.2021, 03/2021
    r"|(?:1\d|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"  # 20210314
    r"|\d{4}-[Ww]\d{1,2}(?:-\d)?|(?:1\d|20|21)\d\d(?:[-–/](?:1\d|20|21)\d\d)?"  # 2021-W05, 1666, 1665-1667
    r"|(?:mid-|early-|late-)?\d{2,4}'?s|\d{1,2}(?:st|nd|rd|th|er|º|ª)"  # mid-1990s, 5th
    r"|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}(?::\d{2})?[ap]m",  # 10:30, 3pm
    re.IGNORECASE,
)
_COUNTED_WORD = re.compile(r"\d+(?:st|nd|rd|th)?(?:-[^\W\d_]{2,})+", re.IGNORECASE)  # 19th-century, 20-year-old
_BOUND = re.compile(r"[-'’]")


def route(query: str) -> str:
    """ "keyword" if the query is one token and that an identifier, else "prose"."""
    tokens = query.split()
    return "keyword" if len(tokens) == 1 and is_identifier(tokens[0]) else "prose"


def is_identifier(token: str) -> bool:
    """Whether a token without spaces names a thing rather than being a word, a number of days or a date.

    It has a digit, an underscore, an inner capital, only capitals, or is a dotted or slashed path.
    """
    bare = token.strip(_OUTER)
    if not any(c.isalnum() for c in bare) or _DATE.fullmatch(bare) or _COUNTED_WORD.fullmatch(bare.lower()):
        return False
    if any(c.isdigit() for c in bare) or "_" in token.strip(_QUOTES).rstrip(".,;:!?…"):
        return True
    return _is_path(token) or any(_has_capitals(part) for part in _BOUND.split(bare))


def _is_path(token: str) -> bool:
    """Dots or slashes inside, or a leading one: `os.path`, `a/b`, `/etc`, `.env`; not a word that ends a sentence."""
    bare = token.strip(_QUOTES).rstrip(".,;:!?…")
    return _PATH.fullmatch(bare) is not None and not bare.startswith("...")


def _has_capitals(part: str) -> bool:
    """Only capitals, at least two, or a capital after the first letter."""
    letters = [c for c in part if c.isalpha()]
    return any(c.isupper() for c in letters[1:])
