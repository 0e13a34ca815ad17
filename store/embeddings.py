"""Remembered embeddings, and the vocabulary of terms."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from store.digests import row_digest

_MANY = 500


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


class Vocabulary:
    """Numbers for terms; new terms are written with the transaction that uses them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {}

    def ids(self, terms: Iterable[Iterable[str]]) -> dict[str, int]:
        """Numbers of all terms asked for so far; `terms` come in groups, a chunk's each."""
        new = sorted(set().union(*terms) - self._ids.keys())
        self._connection.executemany("INSERT OR IGNORE INTO vocabulary (term) VALUES (?)", [(t,) for t in new])
        for start in range(0, len(new), _MANY):
            part = new[start : start + _MANY]
            marks = ",".join("?" * len(part))
            self._ids.update(self._connection.execute(f"SELECT term, id FROM vocabulary WHERE term IN ({marks})", part))
        return self._ids
