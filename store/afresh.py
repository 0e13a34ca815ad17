"""Derive all that belongs to one recorded generation from the catalog alone, with its vectors in one place."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from store import embeddings, postings, rows
from store.container import Named
from store.files import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

OWN_SEGMENT = 0
"""The number of a segment that belongs to one generation alone."""
_MANY = 500


@dataclass(frozen=True, slots=True)
class Afresh:
    """What the derived files of a generation hold."""

    rows: Named
    keywords: Named
    vectors: Named


def derive(connection: sqlite3.Connection, number: int) -> Afresh:
    """Everything of generation `number`, in memory."""
    import numpy as np

    table, keywords = without_vectors(connection, number)
    ids, place = np.unique(table.arrays["embedding"], return_inverse=True)
    table.arrays |= {"segment": np.full(len(place), OWN_SEGMENT, np.int32), "row": place.astype(np.int32)}
    vectors = matrix(connection, ids)
    meta = {"segment": OWN_SEGMENT, "rows": len(ids), "dims": vectors.shape[1]}
    return Afresh(table, keywords, Named(meta, {"vectors": vectors}))


def without_vectors(connection: sqlite3.Connection, number: int) -> tuple[Named, Named]:
    """The rows of generation `number`, their vectors where the catalog says, and its keyword index."""
    which = shown(number)
    read = rows.read(connection, which)
    index = postings.build(read.counted, partial(embeddings.ordered_terms, connection))
    count = len(read.table["chunk"])
    arrays = {**read.table, "group": rows.groups(read.table["key"]), "term": index.ids}
    meta = {"rows": count, "languages": rows.languages(connection, which)}
    return Named(meta, arrays), Named({"rows": count}, dict(index.arrays))


def matrix(connection: sqlite3.Connection, ids: NDArray[Any]) -> NDArray[Any]:
    """The vectors of some embeddings, in their order; (n, d) float32."""
    import numpy as np

    wanted, blob = ids.tolist(), bytearray()
    for start in range(0, len(wanted), _MANY):
        part = wanted[start : start + _MANY]
        marks = ",".join("?" * len(part))
        for (vector,) in connection.execute(f"SELECT vector FROM vectors WHERE id IN ({marks}) ORDER BY id", part):
            blob += vector
    return np.frombuffer(blob, dtype="<f4").reshape(len(wanted), -1) if wanted else np.zeros((0, 0), dtype=np.float32)
