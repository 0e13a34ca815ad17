"""Rerank logits that were paid for, by the digest of model, query and passage; no text is kept."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

FILE_NAME = "logits.sqlite"
MOST = 2_000_000
_SCHEMA = "CREATE TABLE IF NOT EXISTS logits (key BLOB PRIMARY KEY, logit REAL NOT NULL, seconds REAL NOT NULL) STRICT"


def logit_key(model_digest: str, query: str, passage: str) -> bytes:
    return hashlib.sha256(json.dumps([model_digest, query, passage]).encode()).digest()[:16]


class Logits:
    """A cache: where its file cannot be read it holds nothing, where it cannot be written nothing is kept."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def known(self, keys: Sequence[bytes]) -> dict[bytes, tuple[float, float]]:
        """(logit, seconds it took) of the keys that are kept."""
        found: dict[bytes, tuple[float, float]] = {}
        with self._opened() as connection:
            for key in keys:
                row = connection.execute("SELECT logit, seconds FROM logits WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = row
        return found

    def keep(self, values: Mapping[bytes, tuple[float, float]]) -> None:
        """Keep some, and forget the oldest beyond MOST."""
        rows = [(key, *value) for key, value in sorted(values.items())]
        with self._opened() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO logits VALUES (?, ?, ?)", rows)
            connection.execute("DELETE FROM logits WHERE rowid <= (SELECT max(rowid) FROM logits) - ?", (MOST,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The database, an empty one in memory where the file is no use; what fails inside is left out."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connected(str(self.path))
        except (sqlite3.Error, OSError):
            connection = _connected(":memory:")
        with closing(connection):
            try:
                yield connection
            except sqlite3.Error:
                connection.rollback()


def _connected(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=5)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
