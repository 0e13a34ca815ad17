"""Connections that read a catalog and never write to it, also where nothing may be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

from store import digests


def begun(path: Path) -> sqlite3.Connection:
    """A transaction that reads one consistent state; raises sqlite3.DatabaseError.

    A read-only connection leaves a write-ahead log alone when it closes, even one it has made: so where there is
    none, the connection may write, and takes what it made away. Where the log's shared memory cannot be made
    (no right, no space), the file is read as it stands, or with its log in a copy.
    """
    log = path.with_name(path.name + "-wal")
    try:
        return _open(path, "mode=ro" if _filled(log) else "mode=rw")
    except sqlite3.OperationalError:
        if _filled(log):
            return _copied(path, log)
        return _open(path, "mode=ro&immutable=1")


def _filled(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0


def _open(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30, check_same_thread=False)
    try:
        digests.register(connection)
        connection.execute("PRAGMA query_only = 1")
        connection.execute("BEGIN")
        connection.execute("PRAGMA user_version").fetchone()
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
        connection = sqlite3.connect(Path(place) / path.name, isolation_level=None, check_same_thread=False)
        try:
            digests.register(connection)
            connection.execute("PRAGMA query_only = 1")
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
    return connection
