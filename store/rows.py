"""The rows of a generation: one a live chunk, by path, then position, as columns.

`chunk`, `file` and `embedding` are ids in the catalog; `segment` and `row` say where the vector is (-1: nowhere yet);
`key` (n, 2) uint64 is the key of the text, and `group` the first row of equal text.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.idsets import member
from store.merge import Moved
from store.postings import Counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = {"chunk": "<i8", "file": "<i8", "embedding": "<i8", "segment": "<i4", "row": "<i4"}

Table = dict[str, "NDArray[Any]"]


@dataclass(frozen=True, slots=True)
class Read:
    """Rows as the catalog has them, and their terms."""

    table: Table
    counted: Counted


def read(connection: sqlite3.Connection, which: str) -> Read:
    """The rows of some files; `which` is the SQL condition on them."""
    import numpy as np

    files = connection.execute(f"SELECT id FROM files WHERE {which} ORDER BY path")
    numbers = array("q")
    keys, ids, counts, per_row = bytearray(), bytearray(), bytearray(), []
    for (file,) in files.fetchall():
        for *row, key, term_ids, term_counts in _chunks(connection, file):
            numbers.extend(row)
            keys += key
            ids += term_ids
            counts += term_counts
            per_row.append(len(term_counts))
    columns = np.frombuffer(numbers, dtype=np.int64).reshape(-1, len(COLUMNS))
    table = {name: columns[:, place].astype(dtype) for place, (name, dtype) in enumerate(COLUMNS.items())}
    table["key"] = np.frombuffer(keys, dtype="<u8").reshape(-1, 2)
    counted = Counted(
        np.frombuffer(ids, dtype="<u4"), np.frombuffer(counts, dtype=np.uint8), np.array(per_row, dtype=np.int64)
    )
    return Read(table, counted)


def _chunks(connection: sqlite3.Connection, file: int) -> sqlite3.Cursor:
    return connection.execute(
        "SELECT c.id, c.file_id, e.id, coalesce(e.segment, -1), coalesce(e.row, -1), c.text_key, c.term_ids,"
        " c.term_counts FROM chunks AS c JOIN embeddings AS e ON e.id = c.embedding_id WHERE c.file_id = ?"
        " ORDER BY c.position",
        (file,),
    )


def carried_over(connection: sqlite3.Connection, base: Mapping[str, NDArray[Any]], new: Table) -> tuple[Table, Moved]:
    """The rows of `base` whose files still live, with the new ones among them, in order."""
    import numpy as np

    order = np.fromiter(_live_files(connection), dtype=np.int64)
    by_id = np.argsort(order)
    stay = member(base["file"], order)
    table = {name: np.concatenate((base[name][stay], new[name])) for name in new}
    rank = by_id[np.searchsorted(order[by_id], table["file"])]
    sequence = np.argsort(rank, kind="stable")
    place = np.empty(len(sequence), dtype=np.int32)
    place[sequence] = np.arange(len(sequence), dtype=np.int32)
    old = np.full(len(stay), -1, dtype=np.int32)
    old[stay] = place[: int(stay.sum())]
    return {name: column[sequence] for name, column in table.items()}, Moved(old, place[int(stay.sum()) :])


def _live_files(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT id FROM files WHERE died IS NULL ORDER BY path")]


def groups(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """For each row the first row of equal key; `keys` (n, 2)."""
    import numpy as np

    order = np.lexsort((keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[begins]
    group = np.empty(len(order), dtype=np.int32)
    group[order] = first[np.cumsum(begins) - 1]
    return group


def languages(connection: sqlite3.Connection, which: str) -> list[str]:
    """The languages of some files that hold text."""
    rows = connection.execute(
        f"SELECT DISTINCT language FROM files WHERE {which} AND content_id IS NOT NULL AND language IS NOT NULL"
    )
    return sorted(str(row[0]) for row in rows)
