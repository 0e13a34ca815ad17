"""Carry a keyword index over to the next generation: rows that went are dropped, rows that are new are put in.

What it costs in Python depends on the terms of the new rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store import postings
from store.idsets import distinct, member
from store.patch import BLOCK, Patch
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
    """The index of the next generation; `counted` are the terms of the new rows.

    Its `rows` and `counts` are made block by block as they are written.
    """
    import numpy as np

    vocabulary, columns, ids = _with_new_terms(base, counted, names)
    gone = _gone(base, moved)
    starts = np.asarray(base.arrays["indptr"])
    old = np.zeros(len(ids), dtype=np.int64)
    old[columns] = np.diff(starts)
    begins = np.concatenate(([0], np.cumsum(old)))
    left = old - np.diff(np.searchsorted(gone, begins))
    fresh = _fresh(counted, moved.new, ids)
    frequencies = left + np.diff(fresh.indptr)
    patch = Patch(gone, _places(base.arrays["rows"], begins, _bounds(moved), fresh))
    alive = frequencies > 0
    kept = vocabulary.chosen(alive)
    indptr = np.concatenate(([0], np.cumsum(frequencies[alive]))).astype(np.int64)
    rows = patch.applied(base.arrays["rows"], fresh.rows, moved.old)
    counts = patch.applied(base.arrays["counts"], fresh.counts)
    lengths = _lengths(base.arrays["lengths"], moved, counted)
    return Index(postings.arrays(rows, counts, indptr, (kept.blob, kept.offsets), lengths), ids[alive])


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


def _gone(base: Index, moved: Moved) -> NDArray[np.int64]:
    """Where in the old postings those of rows that went are, ascending."""
    import numpy as np

    rows, went = base.arrays["rows"], moved.old < 0
    if not went.any():
        return np.zeros(0, dtype=np.int64)
    parts = (np.flatnonzero(went[rows[at : at + BLOCK]]) + at for at in range(0, len(rows), BLOCK))
    return np.concatenate([*parts, np.zeros(0, dtype=np.int64)])


def _fresh(counted: Counted, rows: NDArray[np.int32], ids: NDArray[np.int64]) -> Postings:
    """The new postings, by column."""
    import numpy as np

    used = distinct(counted.ids)
    places = np.flatnonzero(member(ids, used))
    columns = places[np.argsort(ids[places])][np.searchsorted(used, counted.ids)]
    order = np.argsort(columns, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=len(ids)))))
    return Postings(indptr, np.repeat(rows, counted.per_row)[order], counted.counts[order])


def _bounds(moved: Moved) -> NDArray[np.int64]:
    """For each old row its new number, or that of the next row which stays: never descending."""
    import numpy as np

    last = len(moved.old) + len(moved.new)
    numbers = np.where(moved.old < 0, last, moved.old).astype(np.int64)
    return np.minimum.accumulate(numbers[::-1])[::-1]


def _places(
    rows: NDArray[np.int32], begins: NDArray[np.int64], bounds: NDArray[np.int64], fresh: Postings
) -> NDArray[np.int64]:
    """Before which old posting each new one belongs: a binary search within its column, for all at once."""
    import numpy as np

    many = np.diff(fresh.indptr)
    low, high = np.repeat(begins[:-1], many), np.repeat(begins[1:], many)
    while (searching := np.flatnonzero(low < high)).size:
        middle = (low[searching] + high[searching]) // 2
        below = bounds[rows[middle]] < fresh.rows[searching]
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
