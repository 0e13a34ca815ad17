"""Keep the current generation alone: a text that is gone from the folder is then nowhere in the state."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from store import catalog, disk, embeddings, publish, sentences, writer
from store.errors import BUSY, WhereinError


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge left: the new generation's number, and the index's size before and after."""

    collection: str
    generation: int
    bytes_before: int
    bytes_after: int


def purge(folder: Path, name: str, wait_seconds: float = 10.0) -> Purged:
    """Publish the current content alone and compact; raises (exit 5) if another process writes, or reads too long."""
    before = size_bytes(folder)
    with writer.opened(folder, name, wait_seconds) as index:
        settings = index.settings()
        if settings is None:
            raise WhereinError(f"Collection {name!r} is not indexed: there is nothing to purge.", kind="no-index")
        connection = index.connection
        _refuse_held(name, catalog.held(connection))
        index.loosen()
        generation = index.publish(settings, keep=1)
        with disk.transaction(connection):
            publish.mark_used(connection)
            embeddings.forget(connection, keep=0)
            _drop_unused_terms(connection)
        connection.execute("DROP TABLE temp.used")
        sentences.purge(connection, folder, settings)
        disk.vacuum(connection)
        if not disk.checkpoint(connection, wait_seconds):
            raise WhereinError(
                f"Collection {name!r} is purged, but is being read, so that deleted text may still stand in its files:"
                " run the same again.",
                kind="busy",
                code=BUSY,
            )
    return Purged(name, generation, before, size_bytes(folder))


def _refuse_held(name: str, number: int | None) -> None:
    if number is not None:
        raise WhereinError(
            f"Generation {number} of collection {name!r} is held, and purging would remove it: end that first with"
            f" `wherein generations --use latest --collection {name}`.",
            kind="held",
        )


def _drop_unused_terms(connection: sqlite3.Connection) -> None:
    """Terms are pieces of text too: those that no chunk holds go."""
    used: set[int] = set()
    for (packed,) in connection.execute("SELECT term_ids FROM chunks"):
        used.update(memoryview(packed).cast("I"))
    ids = [row[0] for row in connection.execute("SELECT id FROM vocabulary")]
    connection.executemany("DELETE FROM vocabulary WHERE id = ?", [(id_,) for id_ in ids if id_ not in used])


def size_bytes(folder: Path) -> int:
    """Bytes of a collection's files on disk."""
    return sum(_size(path) for place in (folder, folder / catalog.DERIVED) for path in place.glob("*"))


def _size(path: Path) -> int:
    """0 for a file that has gone meanwhile."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
