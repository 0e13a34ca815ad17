"""Absolute filters: which rows of a source a query may return at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import TYPE_CHECKING

from store.idsets import marks
from tasks.analyse import Analyser
from tasks.globs import BadGlob, compile_globs, nfc
from tasks.phrases import contains_phrase
from tasks.source import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.snapshot import Snapshot

__all__ = ["BadGlob", "Filters", "apply", "dated_rows"]

DayOf = Callable[[int], str]
"""The ISO day of a file time in nanoseconds, in the zone of the settings."""


@dataclass(frozen=True, slots=True)
class Filters:
    """A path glob, an inclusive range of ISO days, phrases that must occur, and paths (NFC) to leave out."""

    path: str | None = None
    first: date | None = None
    last: date | None = None
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def by_file(self) -> bool:
        return self != Filters(phrases=self.phrases)


def apply(source: Source, filters: Filters, day_of: DayOf | None) -> Source:
    """The source with only the rows that pass; `day_of` dates files that have no date of their own, if given."""
    if filters.by_file:
        source = source.restrict(source.in_files(_files(source.snapshot, filters, day_of)))
    for phrase in filters.phrases:
        source = source.restrict(_holding(source, phrase))
    return source


def _files(snapshot: Snapshot, filters: Filters, day_of: DayOf | None) -> list[int]:
    match = compile_globs([filters.path]) if filters.path is not None else None
    first = filters.first.isoformat() if filters.first else ""
    last = filters.last.isoformat() if filters.last else "9999-99-99"
    dated = filters.first is not None or filters.last is not None
    chosen = []
    for id_, path, own, modified_ns in snapshot.places():
        if (match is not None and not match(nfc(path))) or nfc(path) in filters.without:
            continue
        day = own or (day_of(modified_ns) if dated and day_of else None)
        if not dated or (day is not None and first <= day <= last):
            chosen.append(id_)
    return chosen


def dated_rows(source: Source, ranges: Sequence[tuple[date, date]]) -> NDArray[np.bool_]:
    """The rows of files whose own date (never a file time) lies in one of the ranges."""
    return source.in_files(
        id_ for first, last in ranges for id_ in source.snapshot.dated(first.isoformat(), last.isoformat())
    )


def _holding(source: Source, phrase: str) -> NDArray[np.bool_]:
    """The rows whose text holds a phrase: those with all its words, then looked up in the text."""
    import numpy as np

    candidates = _with_all_words(source, phrase)
    if source.allowed is not None:
        candidates = candidates[source.allowed[candidates]]
    rows = [int(r) for r in candidates]
    held = [contains_phrase(p.text, phrase) for p in source.passages(rows)]
    mask = np.zeros(len(source.snapshot), dtype=np.bool_)
    mask[[r for r, found in zip(rows, held, strict=True) if found]] = True
    return mask


def _with_all_words(source: Source, phrase: str) -> NDArray[np.int64]:
    import numpy as np

    lexicon = source.snapshot.lexicon
    words = Analyser().query_words(phrase, source.languages)
    if not words:
        return np.arange(len(source.snapshot))
    found = (marks(np.concatenate([lexicon.rows_with(term) for term in word.terms]), lexicon.rows) for word in words)
    return np.flatnonzero(reduce(np.logical_and, found))
