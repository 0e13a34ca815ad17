"""Carry a keyword index over to the next generation: rows that went are dropped, rows that are new are put in.

What it costs in Python depends on the terms of the new rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store import postings
from store.idsets import distinct, member
from store.postings import Counted, Index, Names, Postings
from store.terms import Terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Moved:
    """Where rows stand in the next generation: old ones by old row, -1 for those that went; new ones in order."""

    old: NDArray[np.int32]
    new: NDArray[np.int32]


def merge(base: Index, moved: Moved, counted: Counted, names: Names) -> Index:
    """The index of the next generation; `counted` are the terms of the new rows."""
    import numpy as np

    vocabulary, columns, ids = _with_new_terms(base, counted, names)
    old = _kept(base, moved.old, columns, len(ids))
    fresh = _fresh(counted, moved.new, ids)
    joined = _joined(old, fresh)
    frequencies = np.diff(joined.indptr)
    alive = frequencies > 0
    indptr = np.concatenate(([0], np.cumsum(frequencies[alive]))).astype(np.int64)
    left = vocabulary.chosen(alive)
    lengths = _lengths(base.arrays["lengths"], moved, counted)
    whole = Postings(indptr, joined.rows, joined.counts)
    return Index(postings.arrays(whole, (left.blob, left.offsets), lengths), ids[alive])


def _with_new_terms(base: Index, counted: Counted, names: Names) -> tuple[Terms, NDArray[np.int64], NDArray[np.int64]]:
    """All terms, old and new; the column of each old one; the number of each column's term."""
    import numpy as np

    vocabulary = Terms(base.arrays["blob"], base.arrays["offsets"])
    used = distinct(counted.ids)
    new = used[~member(used, base.ids)]
    found = names(new)
    ordered = sorted((found[id_].encode(), id_) for id_ in new.tolist())
    places = np.array([vocabulary.place(term) for term, _ in ordered], dtype=np.int64)
    columns = np.arange(len(base.ids)) + np.searchsorted(places, np.arange(len(base.ids)), side="right")
    ids = np.insert(base.ids, places, [id_ for _, id_ in ordered])
    return vocabulary.inserted(places, [term for term, _ in ordered]), columns, ids


def _kept(base: Index, moved: NDArray[np.int32], columns: NDArray[np.int64], width: int) -> Postings:
    """The old postings whose rows are still there, under their new row and column numbers."""
    import numpy as np

    starts = base.arrays["indptr"]
    rows, counts = moved[base.arrays["rows"]], base.arrays["counts"]
    if moved.min(initial=0) < 0:
        gone = np.flatnonzero(rows < 0)
        starts = starts - np.searchsorted(gone, starts)
        stay = rows >= 0
        rows, counts = rows[stay], counts[stay]
    frequencies = np.zeros(width, dtype=np.int64)
    frequencies[columns] = np.diff(starts)
    return Postings(np.concatenate(([0], np.cumsum(frequencies))), rows, counts)


def _fresh(counted: Counted, rows: NDArray[np.int32], ids: NDArray[np.int64]) -> Postings:
    """The new postings, by column."""
    import numpy as np

    by_id = np.argsort(ids)
    columns = by_id[np.searchsorted(ids[by_id], counted.ids.astype(np.int64))]
    order = np.argsort(columns, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=len(ids)))))
    return Postings(indptr, np.repeat(rows, counted.per_row)[order], counted.counts[order])


def _joined(old: Postings, fresh: Postings) -> Postings:
    import numpy as np

    places = _places(old, fresh)
    rows, counts = np.insert(old.rows, places, fresh.rows), np.insert(old.counts, places, fresh.counts)
    return Postings(old.indptr + fresh.indptr, rows, counts)


def _places(old: Postings, fresh: Postings) -> NDArray[np.int64]:
    """For each new posting where it belongs among the old ones: a binary search within its column, all at once."""
    import numpy as np

    many = np.diff(fresh.indptr)
    low, high = np.repeat(old.indptr[:-1], many), np.repeat(old.indptr[1:], many)
    while (searching := np.flatnonzero(low < high)).size:
        middle = (low[searching] + high[searching]) // 2
        below = old.rows[middle] < fresh.rows[searching]
        low[searching] = np.where(below, middle + 1, low[searching])
        high[searching] = np.where(below, high[searching], middle)
    return low


def _lengths(old: NDArray[Any], moved: Moved, counted: Counted) -> NDArray[np.int32]:
    import numpy as np

    stay = moved.old >= 0
    lengths = np.empty(int(stay.sum()) + len(moved.new), dtype=np.int32)
    lengths[moved.old[stay]] = old[stay]
    lengths[moved.new] = counted.lengths()
    return lengths
