"""Remembered embeddings, and the vocabulary of terms."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from store import terms as packing
from store.digests import row_digest
from store.idsets import marks as marked

_MANY = 500
MOST_AT_HAND = 200_000


def embedding_key(fingerprint: str, sent: str) -> bytes:
    """What an embedding is remembered by: the model's fingerprint and the exact text sent."""
    return hashlib.blake2b(f"{fingerprint}\0{sent}".encode(), digest_size=24).digest()


def text_key(text: str) -> bytes:
    """The identity of a chunk's text, and the check that it is read back unharmed."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def known(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, int]:
    """Ids of the embeddings already there."""
    found: dict[bytes, int] = {}
    for start in range(0, len(keys), _MANY):
        part = keys[start : start + _MANY]
        marks = ",".join("?" * len(part))
        rows = connection.execute(f"SELECT key, id FROM embeddings WHERE key IN ({marks})", part)
        found.update((bytes(key), int(id_)) for key, id_ in rows)
    return found


def remember(connection: sqlite3.Connection, vectors: Mapping[bytes, bytes]) -> dict[bytes, int]:
    """Store vectors (float32, little endian) by key; an older vector of the same key is replaced."""
    connection.executemany(
        "INSERT INTO embeddings (key) VALUES (?) ON CONFLICT (key) DO UPDATE SET segment = NULL, row = NULL",
        [(key,) for key in vectors],
    )
    ids = known(connection, list(vectors))
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (id, vector, digest) VALUES (?, ?, ?)",
        [(ids[k], v, row_digest(v)) for k, v in vectors.items()],
    )
    return ids


def forget(connection: sqlite3.Connection, keep: int) -> None:
    """Drop the oldest embeddings that no chunk uses, beyond `keep` of them."""
    rows = connection.execute(
        "SELECT id FROM embeddings AS e WHERE NOT EXISTS (SELECT 1 FROM temp.used WHERE used.id = e.id)"
        " ORDER BY id DESC LIMIT -1 OFFSET ?",
        (keep,),
    ).fetchall()
    connection.executemany("DELETE FROM vectors WHERE id = ?", rows)
    connection.executemany("DELETE FROM embeddings WHERE id = ?", rows)


def terms(connection: sqlite3.Connection, ids: NDArray[np.int64]) -> dict[int, str]:
    """The terms of some numbers."""
    found: dict[int, str] = {}
    wanted = ids.tolist()
    for start in range(0, len(wanted), _MANY):
        part = wanted[start : start + _MANY]
        marks = ",".join("?" * len(part))
        found.update(connection.execute(f"SELECT id, term FROM vocabulary WHERE id IN ({marks})", part))
    return found


def ordered_terms(connection: sqlite3.Connection, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], packing.Packed]:
    """Some numbers in the order of their terms, and these terms packed: one pass over the vocabulary's own index."""
    import numpy as np

    wanted = marked(ids, int(ids.max(initial=-1)) + 1).tobytes()
    found, ends, blob = array("q"), array("q", [0]), bytearray()
    for id_, term in connection.execute("SELECT id, CAST(term AS BLOB) FROM vocabulary ORDER BY term"):
        if id_ < len(wanted) and wanted[id_]:
            found.append(id_)
            blob += term
            ends.append(len(blob))
    if len(found) < len(ids):
        raise sqlite3.DatabaseError("a term is missing")
    packed = np.frombuffer(blob, dtype=np.uint8), np.frombuffer(ends, dtype=np.int64)
    return np.frombuffer(found, dtype=np.int64), packed


class Vocabulary:
    """Numbers for terms; new terms are written with the transaction that uses them.

    Some are kept at hand, so many that the words of a language fit and not all the identifiers of a collection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {}

    def ids(self, terms: Iterable[Iterable[str]]) -> dict[str, int]:
        """Numbers of the terms, and of others; `terms` come in groups, a chunk's each."""
        wanted: set[str] = set().union(*terms)
        if len(self._ids) > MOST_AT_HAND:
            self._ids.clear()
        new = sorted(wanted - self._ids.keys())
        self._connection.executemany("INSERT OR IGNORE INTO vocabulary (term) VALUES (?)", [(t,) for t in new])
        for start in range(0, len(new), _MANY):
            part = new[start : start + _MANY]
            marks = ",".join("?" * len(part))
            self._ids.update(self._connection.execute(f"SELECT term, id FROM vocabulary WHERE term IN ({marks})", part))
        return self._ids
