"""Vector segments: immutable files of unit rows (float32), one per publish, merged when there are many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import container, disk
from store.idsets import member

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 8
_BATCH = 2000


def file_name(number: int) -> str:
    return f"vectors-{number:08d}.bin"


def place(connection: sqlite3.Connection, table: dict[str, NDArray[Any]], listed: Iterable[int], number: int) -> int:
    """Give every embedding of `table` that has no place one in segment `number`; returns how many.

    `listed`: the segments whose files the last generation keeps. A place elsewhere is none: such a text has come
    back after its segment was dropped.
    """
    import numpy as np

    kept = sorted(listed)
    loosen(connection, sorted({*numbers(connection)} - {*kept}))
    segment, embedding = table["segment"], table["embedding"]
    segment[member(embedding, _loose(connection)) | ~np.isin(segment, kept)] = -1
    live = sizes(table)
    dropped = sorted({*kept} - {*live} | {*to_merge(live)})
    loosen(connection, dropped)
    segment[np.isin(segment, dropped)] = -1
    return _assign(connection, table, number)


def _assign(connection: sqlite3.Connection, table: dict[str, NDArray[Any]], number: int) -> int:
    """Rows of the segment follow the rows of the table, so that a pass over one is nearly a pass over the other."""
    import numpy as np

    waiting = np.flatnonzero(table["segment"] < 0)
    ids, first, inverse = np.unique(table["embedding"][waiting], return_index=True, return_inverse=True)
    order = np.empty(len(ids), dtype=np.int32)
    order[np.argsort(first)] = np.arange(len(ids), dtype=np.int32)
    table["segment"][waiting], table["row"][waiting] = number, order[inverse]
    pairs = zip(order.tolist(), ids.tolist(), strict=True)
    connection.executemany(f"UPDATE embeddings SET segment = {number}, row = ? WHERE id = ?", pairs)
    return len(ids)


def _loose(connection: sqlite3.Connection) -> NDArray[np.int64]:
    import numpy as np

    rows = connection.execute("SELECT id FROM embeddings WHERE segment IS NULL").fetchall()
    return np.array(rows, dtype=np.int64).reshape(-1)


def to_merge(sizes: dict[int, int]) -> list[int]:
    """Which segments to merge so that no more than MOST stay: the smallest, at least half of them."""
    if len(sizes) <= MOST:
        return []
    return sorted(sorted(sizes, key=lambda n: (sizes[n], n))[: MOST // 2 + 1])


def sizes(table: dict[str, NDArray[Any]]) -> dict[int, int]:
    """Distinct embeddings of the table by segment."""
    import numpy as np

    _, first = np.unique(table["embedding"], return_index=True)
    found, counts = np.unique(table["segment"][first], return_counts=True)
    return {int(n): int(count) for n, count in zip(found, counts, strict=True) if n >= 0}


def numbers(connection: sqlite3.Connection) -> list[int]:
    """Every segment that an embedding has its place in."""
    found: list[int] = []
    while True:
        row = connection.execute("SELECT min(segment) FROM embeddings WHERE segment > ?", (found[-1] if found else -1,))
        segment = row.fetchone()[0]
        if segment is None:
            return found
        found.append(int(segment))


def loosen(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Take the embeddings of some segments out of their place."""
    connection.executemany(
        "UPDATE embeddings SET segment = NULL, row = NULL WHERE segment = ?", [(n,) for n in numbers]
    )


def write(connection: sqlite3.Connection, folder: Path, number: int) -> disk.Written:
    """Write segment `number` from the catalog's own vectors."""
    import numpy as np

    count, dims = connection.execute(
        "SELECT count(*), coalesce(max(length(v.vector)), 0) / 4 FROM embeddings AS e"
        " JOIN vectors AS v ON v.id = e.id WHERE e.segment = ?",
        (number,),
    ).fetchone()
    vectors = container.Streamed(np.dtype("<f4"), (count, dims), _blocks(connection, number, dims))
    meta = {"segment": number, "rows": count, "dims": dims}
    return container.write(folder / file_name(number), meta, {"vectors": vectors})


def _blocks(connection: sqlite3.Connection, number: int, dims: int) -> Iterator[NDArray[np.float32]]:
    import numpy as np

    cursor = connection.execute(
        "SELECT v.vector FROM embeddings AS e JOIN vectors AS v ON v.id = e.id WHERE e.segment = ? ORDER BY e.row",
        (number,),
    )
    while part := cursor.fetchmany(_BATCH):
        yield np.frombuffer(b"".join(vector for (vector,) in part), dtype="<f4").reshape(-1, dims)
