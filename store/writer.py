"""The one process that changes a collection: stage versions, remember embeddings, publish."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from store import catalog, disk, embeddings, files, publish, salvage, seal, segments
from store.embeddings import Vocabulary
from store.errors import WhereinError
from store.files import FileRow, StagedFile
from store.lock import writing
from store.records import FileStat, Problem

_ENDS = ("", ".part", "-journal", "-sentences", "-sentences.part", "-sentences-journal")
LEFTOVERS = (*salvage.FILES, *(catalog.INCOMING + end for end in _ENDS))


class Writer:
    """Open under the collection's lock; everything staged is seen only after `publish`.

    `salvaged`: how many embeddings were saved from a damaged catalog that was put away.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.current = catalog.current(connection)
        self.vocabulary = Vocabulary(connection)
        self.dirty = False
        self.salvaged: int | None = None

    def recover(self) -> None:
        """Drop what a run that did not end had staged, and files of a restore or a rebuild that did not end."""
        for name in LEFTOVERS:
            if (self.folder / name).exists():
                disk.remove(self.folder / name)
        if files.holds_staged(self.connection, self.current):
            with disk.transaction(self.connection):
                files.discard_staged(self.connection, self.current)

    def settings(self) -> dict[str, Any] | None:
        """What shaped the current generation; None before the first."""
        import json

        row = self.connection.execute("SELECT settings FROM generations WHERE number = ?", (self.current,)).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def live(self) -> dict[str, FileRow]:
        return files.live(self.connection)

    def problems(self) -> list[Problem]:
        """What the catalog records of files left out, and of files that wait."""
        pending = self.connection.execute("SELECT path, kind, reason FROM pending")
        return [*files.problems(self.connection), *(Problem(*row) for row in pending)]

    @property
    def last_scan_ns(self) -> int:
        return int(catalog.get(self.connection, "scan_started_ns", 0))

    def begin(self, pending: Iterable[str]) -> None:
        """Note that a run has started and what it has to do, so that a killed run can be told."""
        with disk.transaction(self.connection):
            catalog.put(self.connection, "run", {"started_at": time.time(), "pid": os.getpid()})
            self.connection.executemany(
                "INSERT OR REPLACE INTO pending VALUES (?, 'interrupted', 'the run that was to read it did not end')",
                [(path,) for path in pending],
            )

    def known(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        return embeddings.known(self.connection, keys)

    def remember(self, vectors: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep embeddings at once, whatever becomes of the run."""
        with disk.transaction(self.connection):
            return embeddings.remember(self.connection, vectors)

    def stage(self, batch: Sequence[StagedFile]) -> None:
        """Write new versions of files in one transaction."""
        with disk.transaction(self.connection):
            ids = self.vocabulary.ids(chunk.terms for file in batch for chunk in file.chunks)
            for file in batch:
                files.stage(self.connection, file, self.current + 1, ids)
        self.dirty = self.dirty or bool(batch)

    def end(self, rows: Sequence[FileRow]) -> None:
        """Let files go from the next generation."""
        if rows:
            with disk.transaction(self.connection):
                files.end(self.connection, rows, self.current + 1)
            self.dirty = True

    def finish(
        self,
        touched: Sequence[tuple[FileRow, FileStat]],
        pending: Sequence[Problem],
        scan_started_ns: int,
        excluded: int,
    ) -> None:
        """Record the run's end: newer stats, what is left to do, when it looked."""
        with disk.transaction(self.connection):
            files.touch(self.connection, touched)
            self.connection.execute("DELETE FROM pending")
            self.connection.executemany(
                "INSERT INTO pending VALUES (?, ?, ?)", [(p.path, p.kind, p.reason) for p in pending]
            )
            catalog.put(self.connection, "scan_started_ns", scan_started_ns)
            catalog.put(self.connection, "refreshed_at", time.time())
            catalog.put(self.connection, "excluded", excluded)
            self.connection.execute("DELETE FROM meta WHERE key = 'run'")

    def loosen(self) -> None:
        """Let the next generation write every vector anew."""
        with disk.transaction(self.connection):
            segments.loosen(self.connection, segments.numbers(self.connection))
        self.dirty = True

    def publish(self, settings: dict[str, Any], keep: int) -> int:
        self.vocabulary = Vocabulary(self.connection)
        self.current = publish.publish(self.connection, self.folder, settings, keep)
        self.dirty = False
        return self.current

    def chunk_total(self) -> int:
        row = self.connection.execute("SELECT chunks FROM generations WHERE number = ?", (self.current,)).fetchone()
        return 0 if row is None else int(row[0])

    def text(self, row: FileRow) -> str | None:
        """The stored text of a file's last good version."""
        found = self.connection.execute("SELECT text FROM contents WHERE id = ?", (row.content_id,)).fetchone()
        return None if found is None else str(found[0])

    def text_keys(self, row: FileRow) -> list[bytes]:
        return files.text_keys(self.connection, row.id)


@contextmanager
def opened(
    folder: Path, name: str, wait_seconds: float = 0.0, anew: bool = False, log: Path | None = None
) -> Iterator[Writer]:
    """Take the lock and open a Writer; raises (exit 5) if another process writes.

    `anew`: a damaged catalog is put away first, for a rebuild from what can be saved of its embeddings.
    """
    with writing(folder, name, wait_seconds):
        connection, salvaged = _connected(folder, log, anew=anew)
        try:
            index = Writer(connection, folder)
            index.salvaged = salvaged
            index.recover()
            yield index
        except sqlite3.DatabaseError as error:
            raise catalog.explained(folder, error) from error
        finally:
            connection.close()
            seal.closed(folder)


def _connected(folder: Path, log: Path | None, *, anew: bool) -> tuple[sqlite3.Connection, int | None]:
    """The catalog, and how many embeddings were saved if a damaged one was put away."""
    try:
        return catalog.open_for_writing(folder, log, thorough=anew), None
    except WhereinError as error:
        if not anew or error.kind != "damaged":
            raise
    saved = salvage.put_away(folder)
    return catalog.open_for_writing(folder, log), saved


def peek(connection: sqlite3.Connection, folder: Path) -> Writer:
    """The catalog as it is, to look at only."""
    return Writer(connection, folder)
