"""Make the arrays of a keyword index: from the terms of all rows, or from the last index and the rows that are new.

Both ways give the same bytes. Terms come numbered, as the catalog's vocabulary numbers them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store import lexicon, terms
from store.container import Streamed
from store.idsets import distinct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 32_768
_POSTINGS = 1 << 22
Names = Callable[["NDArray[Any]"], Mapping[int, str]]
"""The terms of some numbers."""
Ordered = Callable[["NDArray[Any]"], tuple["NDArray[np.int64]", terms.Packed]]
"""Some numbers in the order of their terms (as UTF-8), and these terms packed."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The terms of some rows, one row after the other: numbers, counts, and how many each row has."""

    ids: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    per_row: NDArray[np.int64]

    def lengths(self) -> NDArray[np.int32]:
        """The sum of each row's counts."""
        import numpy as np

        lengths = np.zeros(len(self.per_row), dtype=np.int32)
        filled = self.per_row > 0
        starts = (np.cumsum(self.per_row) - self.per_row)[filled]
        lengths[filled] = np.add.reduceat(self.counts, starts, dtype=np.int32) if len(starts) else 0
        return lengths


@dataclass(frozen=True, slots=True)
class Postings:
    """Rows and counts by column, then row; `indptr` (columns + 1,) says where a column begins."""

    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Index:
    """The arrays as they are written (`rows` and `counts` may be Streamed), and the number of each column's term."""

    arrays: dict[str, Any]
    ids: NDArray[np.int64]


def build(counted: Counted, ordered: Ordered) -> Index:
    """The index of all rows."""
    import numpy as np

    ids, packed = ordered(distinct(counted.ids))
    column_of = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.int32)
    column_of[ids] = np.arange(len(ids), dtype=np.int32)
    whole = _by_column(counted, column_of, len(ids))
    return Index(arrays(whole.rows, whole.counts, whole.indptr, packed, counted.lengths()), ids)


def arrays(
    rows: NDArray[np.int32] | Streamed,
    counts: NDArray[np.uint8] | Streamed,
    indptr: NDArray[np.int64],
    packed: terms.Packed,
    lengths: NDArray[np.int32],
) -> dict[str, Any]:
    """Everything that is written, in its order."""
    return {
        "rows": rows,
        "counts": counts,
        "indptr": indptr,
        "blob": packed[0],
        "offsets": packed[1],
        "lengths": lengths,
        "norm": lexicon.norm(lengths),
    }


def _by_column(counted: Counted, column_of: NDArray[np.int32], columns: int) -> Postings:
    """Sort postings by column, a block of rows at a time, so that little but the result is held."""
    import numpy as np

    frequencies = np.zeros(columns, dtype=np.int64)
    for start in range(0, len(counted.ids), _POSTINGS):
        frequencies += np.bincount(column_of[counted.ids[start : start + _POSTINGS]], minlength=columns)
    indptr = np.concatenate(([0], np.cumsum(frequencies))).astype(np.int64)
    rows, counts = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1], dtype=np.uint8)
    reached = indptr[:-1].copy()
    for start in range(0, len(counted.per_row), _BLOCK):
        block = _block(counted, column_of, columns, start)
        many = np.diff(block.indptr)
        places = np.repeat(reached - block.indptr[:-1], many)
        places += np.arange(len(places))
        rows[places], counts[places] = block.rows, block.counts
        reached += many
    return Postings(indptr, rows, counts)


def _block(counted: Counted, column_of: NDArray[np.int32], columns: int, start: int) -> Postings:
    import numpy as np
    from scipy.sparse import csr_matrix

    per_row = counted.per_row[start : start + _BLOCK]
    first = int(counted.per_row[:start].sum())
    place = slice(first, first + int(per_row.sum()))
    indptr = np.concatenate(([0], np.cumsum(per_row))).astype(np.int32)
    shape = (len(per_row), columns)
    matrix = csr_matrix((counted.counts[place], column_of[counted.ids[place]], indptr), shape=shape).tocsc()
    return Postings(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32) + np.int32(start), matrix.data)
