"""Put a damaged catalog away, and keep the embeddings in it that are whole: they were paid for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from store import catalog, digests, disk, embeddings, schema, seal

_BATCH = 500
_NEW = "salvaged.sqlite"
FILES = (_NEW, f"{_NEW}-journal", f"{_NEW}-wal", f"{_NEW}-shm")


def put_away(folder: Path) -> int:
    """Replace a damaged catalog with one that remembers its whole embeddings and nothing else; how many."""
    new = folder / _NEW
    for name in FILES:
        disk.remove(folder / name)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        digests.register(connection)
        schema.migrate(connection)
        saved = _fill(connection, folder / catalog.NAME)
    disk.remove(folder / seal.NAME)
    disk.remove_folder(folder / catalog.DERIVED)
    for path in _logs(folder / catalog.NAME):
        disk.remove(path)
    disk.replace(new, folder / catalog.NAME)
    return saved


def _logs(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _fill(connection: sqlite3.Connection, damaged: Path) -> int:
    saved = 0
    for part in _whole_embeddings(damaged):
        with disk.transaction(connection):
            saved += len(embeddings.remember(connection, part))
    return saved


def _whole_embeddings(damaged: Path) -> Iterator[dict[bytes, bytes]]:
    """By key, as far as the damaged catalog can be read."""
    if not damaged.exists():
        return
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(damaged)) as connection:
        digests.register(connection)
        cursor = connection.execute(
            "SELECT e.key, v.vector FROM embeddings AS e JOIN vectors AS v ON v.id = e.id"
            f" WHERE v.digest IS {digests.VECTORS.call} ORDER BY e.id"
        )
        while part := cursor.fetchmany(_BATCH):
            yield {bytes(key): bytes(vector) for key, vector in part}
