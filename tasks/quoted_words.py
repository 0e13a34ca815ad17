"""Finding the words of a quotation in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tasks import markers
from tasks.negation import negates
from tasks.readable import BREAK, Fold, plain, unmarked, unreferenced
from tasks.scripts import joins, quotable, unspaced, words

Extent = tuple[int, int]

_GAP = re.compile(r"\s*(?:\[\s*(?:…|\.{3})\s*\]|\(\s*(?:…|\.{3})\s*\)|…+|\.{3,}|\.\s\.\s\.)\s*")
_HYPHEN = re.compile(rf"(?<=\w)(?:- ?|{BREAK})(?=\w)")
_ENDS = '.,;:!?…。、！？，；،؛؟۔।॥։። "'
HIDDEN_WORDS = 3
"""As few words as a gap may leave out to turn a sentence into its opposite."""


@dataclass(frozen=True, slots=True)
class Searchable:
    """A folded text, where each folded character came from, and how a quotation is folded that is looked up in it."""

    folded: str
    origins: list[int] = field(repr=False)
    fold: Fold = plain

    @classmethod
    def of(cls, text: str, fold: Fold = plain, fold_quotation: Fold | None = None) -> Searchable:
        return cls(*fold(text), fold_quotation or fold)

    def find(self, quotation: str) -> Extent | None:
        """Extent of the quotation's words in the text that was folded; its gaps (… or [...]) may hold anything.

        The words must be whole ones, and punctuation at the quotation's end is the answer's own.
        """
        found = self._position(self._wanted(quotation), 0)
        if found is None:
            found = self._find_pieces([self._wanted(piece) for piece in _GAP.split(quotation)])
        return (self.origins[found[0]], self.origins[found[1] - 1] + 1) if found else None

    def _wanted(self, quotation: str) -> str:
        return _trimmed(self.fold, quotation)

    def _find_pieces(self, pieces: list[str]) -> Extent | None:
        wanted = [piece for piece in pieces if piece]
        if len(pieces) < 2 or not _telling(wanted):
            return None
        found: list[Extent] = []
        for piece in wanted:
            after = found[-1][1] if found else 0
            at = self._position(piece, after)
            if at is None or (found and _turns_round(self.folded[after : at[0]])):
                return None
            found.append(at)
        return found[0][0], found[-1][1]

    def _position(self, wanted: str, start: int) -> Extent | None:
        found = (at for at in _occurrences(self.folded, wanted, start) if self._whole(*at))
        return next(found, None) or self._over_line_ends(wanted, start)

    def _over_line_ends(self, wanted: str, start: int) -> Extent | None:
        """Where the words stand if hyphens at line ends are taken for the words' own, or not."""
        if BREAK not in self.folded:
            return None
        flat, places = _unhyphenated(self.folded)
        for first, end in _occurrences(flat, _unhyphenated(wanted)[0], 0):
            extent = places[first], places[end - 1] + 1
            stands = re.escape(self.folded[slice(*extent)]).replace(BREAK, "(?:- ?)?")
            if extent[0] >= start and self._whole(*extent) and re.fullmatch(stands, wanted):
                return extent
        return None

    def _whole(self, start: int, end: int) -> bool:
        return not any(
            0 < at < len(self.folded) and joins(self.folded[at - 1]) and joins(self.folded[at]) for at in (start, end)
        )


class Quoted:
    """A text that quotations are looked up in: as it stands, else without its markup, else without its references."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _plain(self) -> Searchable:
        return Searchable.of(self._text)

    @cached_property
    def _unmarked(self) -> Searchable:
        return Searchable.of(self._text, unmarked)

    @cached_property
    def _unreferenced(self) -> Searchable:
        return Searchable.of(self._text, unreferenced, unmarked)

    def find(self, quotation: str, *, whole: bool = False) -> Extent | None:
        """Extent of the quotation's words; `whole`: no reference of the text may be left out."""
        found = self._plain.find(quotation) or self._unmarked.find(quotation)
        if found is None and not (whole or markers.groups(quotation)):
            found = self._unreferenced.find(quotation)
        return found


@lru_cache(maxsize=256)
def _trimmed(fold: Fold, quotation: str) -> str:
    """Looked up in one passage after the other."""
    return fold(quotation)[0].lstrip("… ").rstrip(_ENDS)


def _occurrences(text: str, wanted: str, start: int) -> Iterator[Extent]:
    at = text.find(wanted, start) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + 1)


def _unhyphenated(folded: str) -> tuple[str, list[int]]:
    dropped = {at for found in _HYPHEN.finditer(folded) for at in range(*found.span())}
    places = [at for at in range(len(folded)) if at not in dropped]
    return "".join(folded[at] for at in places), places


def _telling(pieces: list[str]) -> bool:
    """Whether what is left between the gaps says more than words that stand anywhere."""
    return any(quotable(piece) for piece in pieces) or (
        len(pieces) > 1 and all(words(piece) >= 2 or unspaced(piece) >= 3 for piece in pieces)
    )


def _turns_round(hidden: str) -> bool:
    """Whether a gap leaves out little but a negation."""
    return words(hidden) + unspaced(hidden) // 2 <= HIDDEN_WORDS and negates(hidden)
