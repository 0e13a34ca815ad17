"""Names and identifiers of a query, by which a rare passage may be pinned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tasks.analyse import Analyser
from tasks.calendar_words import MONTHS, WEEKDAYS, mentions
from tasks.folding import plain
from tasks.phrases import quoted_spans
from tasks.questions import is_question_word
from tasks.route import is_identifier

_TOKEN = re.compile(r"\S+")
_OUTER = "\"'()[]{}<>.,;:!?¿¡…“”„«»‘’「」『』-"
_SELF = frozenset({"i", "i'm", "i've", "i'd", "i'll"})


class RareName(NamedTuple):
    """A name as typed, and the index terms each of which stands for it as a whole."""

    surface: str
    terms: tuple[str, ...]


def rare_names(query: str, languages: Sequence[str]) -> list[RareName]:
    """Candidates, distinct, in order: whether one is rare, its document frequency tells.

    A name is a capitalised word that is neither the query's first nor a question word, or any quoted word; an
    identifier counts wherever it stands. Dates are neither, and capitals say nothing in a query of capitals.
    """
    analyser = Analyser()
    found: dict[str, tuple[str, ...]] = {}
    for surface in _surfaces(query):
        pieces = analyser.whole_terms(surface, languages)
        if len(pieces) == 1 and pieces[0]:
            found.setdefault(surface, pieces[0])
    return [RareName(surface, terms) for surface, terms in found.items()]


def _surfaces(query: str) -> list[str]:
    text = plain(query)
    quoted, dated = quoted_spans(query), [(mention.start, mention.end) for mention in mentions(query)]
    loud = text.isupper() and len(text.split()) > 1
    surfaces = []
    for order, match in enumerate(_TOKEN.finditer(query)):
        bare = plain(match.group()).strip(_OUTER)
        if _within(match, dated) or not bare:
            continue
        if _within(match, quoted) or _is_name(bare, first=order == 0, loud=loud):
            surfaces.append(bare)
    return surfaces


def _within(match: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < match.end() and match.start() < end for start, end in spans)


def _is_name(word: str, *, first: bool, loud: bool) -> bool:
    if loud:
        return is_identifier(word) and not word.isalpha()
    if is_identifier(word):
        return True
    if first or not word[:1].isupper():
        return False
    small = word.lower()
    return not (small in _SELF or small in MONTHS or small in WEEKDAYS or is_question_word(small))
