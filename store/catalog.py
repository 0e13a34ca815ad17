"""The catalog of a collection: the SQLite database that is the truth of its index."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from store import disk
from store.errors import WhereinError
from store.schema import MIGRATIONS

NAME = "catalog.sqlite"
DERIVED = "derived"


def damaged(name: str, detail: str) -> WhereinError:
    return WhereinError(
        f"The catalog of collection {name!r} is damaged ({detail}):"
        f" run `wherein ingest {name} --rebuild` to build it anew.",
        kind="damaged",
    )


def open_for_writing(folder: Path) -> sqlite3.Connection:
    """Open or create the catalog, migrated; raises WhereinError if it is not a catalog of ours."""
    connection = sqlite3.connect(folder / NAME, isolation_level=None, timeout=30, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -65536")
        _migrate(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise damaged(folder.name, str(error)) from error
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise WhereinError(
            f"The index was written by a newer version (schema {version}, known {len(MIGRATIONS)}): upgrade wherein.",
            kind="version",
        )
    for number in range(version, len(MIGRATIONS)):
        with disk.transaction(connection):
            for statement in MIGRATIONS[number].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")


def open_for_reading(folder: Path) -> sqlite3.Connection | None:
    """Open the catalog to read one consistent state; None if there is none yet.

    A folder that cannot be written is opened as immutable, since a reader of a write-ahead log needs
    to create its shared-memory file.
    """
    path = folder / NAME
    if not path.exists():
        return None
    immutable = not os.access(folder, os.W_OK) or not os.access(path, os.W_OK)
    uri = path.absolute().as_uri() + ("?mode=ro&immutable=1" if immutable else "")
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30, check_same_thread=False)
    try:
        if not immutable:
            connection.execute("PRAGMA query_only = 1")
        connection.execute("BEGIN")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        connection.close()
        raise damaged(folder.name, str(error)) from error
    if version:
        return connection
    connection.close()
    if tables or any((folder / DERIVED).glob("*")):
        raise damaged(folder.name, "it holds no tables")
    return None


def get(connection: sqlite3.Connection, key: str, default: Any = None) -> Any:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else json.loads(row[0])


def put(connection: sqlite3.Connection, key: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))


def current(connection: sqlite3.Connection) -> int:
    """The newest published generation; 0 before the first."""
    return int(get(connection, "current", 0))
