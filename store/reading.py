"""Connections that read a catalog and never write to it, also where nothing may be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from store import digests


def begun(path: Path) -> sqlite3.Connection:
    """A transaction that reads one consistent state; raises sqlite3.DatabaseError.

    A read-only connection leaves the write-ahead log alone when it closes. Where the log's shared memory cannot be
    made (no right, no space), the file is read as it stands, or with its log in a copy.
    """
    try:
        return _begin(_connected(path, "mode=ro"))
    except sqlite3.OperationalError:
        log = _log(path)
        if log.exists() and log.stat().st_size:
            return _copied(path, log)
        return _begin(_connected(path, "mode=ro&immutable=1"))


class _Reader(sqlite3.Connection):
    """Takes an empty log away again, which read-only connections make and leave."""

    path: Path | None = None

    def close(self) -> None:
        super().close()
        if self.path is not None:
            _tidy(self.path)


def _tidy(path: Path) -> None:
    """Let SQLite remove a log that holds nothing; the last connection that may write does that when it closes."""
    log = _log(path)
    with suppress(OSError, sqlite3.Error):
        if log.stat().st_size == 0:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _connected(path: Path, options: str) -> _Reader:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=30, check_same_thread=False, factory=_Reader
    )
    connection.path = path
    return connection


def _begin(connection: _Reader) -> _Reader:
    try:
        digests.register(connection)
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    """The catalog and its log opened in a folder of their own, which is gone from the file system at once."""
    with tempfile.TemporaryDirectory(prefix="wherein-") as place:
        for file in (path, log):
            shutil.copyfile(file, Path(place) / file.name)
        return _begin(_connected(Path(place) / path.name, "mode=rw"))
