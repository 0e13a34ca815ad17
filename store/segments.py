"""Vector segments: immutable files of unit rows (float32), one per publish, merged when there are many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from store import container, disk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 8
_BATCH = 2000


def file_name(number: int) -> str:
    return f"vectors-{number:08d}.bin"


def assign(connection: sqlite3.Connection, number: int) -> int:
    """Give every used embedding without a place a row in segment `number`; returns how many."""
    rows = connection.execute(
        "SELECT e.id FROM embeddings AS e WHERE e.segment IS NULL"
        " AND EXISTS (SELECT 1 FROM temp.used WHERE used.id = e.id) ORDER BY e.key"
    )
    pairs = [(number, row, id_) for row, (id_,) in enumerate(rows)]
    connection.executemany("UPDATE embeddings SET segment = ?, row = ? WHERE id = ?", pairs)
    return len(pairs)


def to_merge(sizes: dict[int, int]) -> list[int]:
    """Which segments to merge so that no more than MOST stay: the smallest, at least half of them."""
    if len(sizes) <= MOST:
        return []
    return sorted(sorted(sizes, key=lambda n: (sizes[n], n))[: MOST // 2 + 1])


def sizes(connection: sqlite3.Connection) -> dict[int, int]:
    """Live rows by segment."""
    rows = connection.execute(
        "SELECT segment, count(*) FROM embeddings WHERE segment IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM temp.used WHERE used.id = embeddings.id) GROUP BY segment"
    )
    return {int(segment): int(count) for segment, count in rows}


def numbers(connection: sqlite3.Connection) -> list[int]:
    """Every segment that an embedding has its place in."""
    rows = connection.execute("SELECT DISTINCT segment FROM embeddings WHERE segment IS NOT NULL ORDER BY segment")
    return [int(row[0]) for row in rows]


def loosen(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Take the embeddings of some segments out of their place."""
    connection.executemany(
        "UPDATE embeddings SET segment = NULL, row = NULL WHERE segment = ?", [(n,) for n in numbers]
    )


def write(connection: sqlite3.Connection, folder: Path, number: int) -> disk.Written:
    """Write segment `number` from the catalog's own vectors."""
    count, dims = connection.execute(
        "SELECT count(*), coalesce(max(length(v.vector)), 0) / 4 FROM embeddings AS e"
        " JOIN vectors AS v ON v.id = e.id WHERE e.segment = ?",
        (number,),
    ).fetchone()
    matrix = _fill(connection, number, count, dims)
    meta = {"segment": number, "rows": count, "dims": dims}
    return container.write(folder / file_name(number), meta, {"vectors": matrix})


def _fill(connection: sqlite3.Connection, number: int, count: int, dims: int) -> NDArray[np.float32]:
    import numpy as np

    matrix = np.zeros((count, dims), dtype=np.float32)
    cursor = connection.execute(
        "SELECT e.row, v.vector FROM embeddings AS e JOIN vectors AS v ON v.id = e.id WHERE e.segment = ?", (number,)
    )
    while part := cursor.fetchmany(_BATCH):
        for row, vector in part:
            matrix[row] = np.frombuffer(vector, dtype="<f4")
    return matrix
