"""The catalog's tables, as ordered migrations; `PRAGMA user_version` counts those applied.

Rows of `files` live from generation `born` until before `died`; chunks live with their file row.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache

from store import digests, disk
from store.digests import DIGESTED

_DIGESTS = ";".join(
    f"ALTER TABLE {rows.table} ADD COLUMN digest BLOB; {rows.update('digest IS NULL')}" for rows in DIGESTED
)

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE generations (
        number INTEGER PRIMARY KEY,
        published_at REAL NOT NULL,
        settings TEXT NOT NULL,
        derived TEXT NOT NULL,
        files INTEGER NOT NULL,
        chunks INTEGER NOT NULL
    );
    CREATE TABLE contents (id INTEGER PRIMARY KEY, key BLOB NOT NULL, text TEXT NOT NULL);
    CREATE UNIQUE INDEX contents_key ON contents (key);
    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        ctime_ns INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        sha256 TEXT,
        state TEXT NOT NULL,
        kind TEXT,
        reason TEXT,
        date TEXT,
        date_from TEXT,
        title TEXT,
        language TEXT,
        content_id INTEGER,
        born INTEGER NOT NULL,
        died INTEGER
    );
    CREATE UNIQUE INDEX files_live ON files (path) WHERE died IS NULL;
    CREATE INDEX files_content ON files (content_id);
    CREATE INDEX files_died ON files (died) WHERE died IS NOT NULL;
    CREATE INDEX files_born ON files (born);
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,
        file_id INTEGER NOT NULL,
        position INTEGER NOT NULL,
        char_start INTEGER NOT NULL,
        char_end INTEGER NOT NULL,
        line_start INTEGER NOT NULL,
        line_end INTEGER NOT NULL,
        heading TEXT,
        text_key BLOB NOT NULL,
        embedding_id INTEGER NOT NULL,
        term_ids BLOB NOT NULL,
        term_counts BLOB NOT NULL
    );
    CREATE UNIQUE INDEX chunks_place ON chunks (file_id, position);
    CREATE INDEX chunks_text ON chunks (text_key);
    CREATE TABLE embeddings (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL,
        segment INTEGER,
        row INTEGER
    );
    CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
    CREATE UNIQUE INDEX embeddings_key ON embeddings (key);
    CREATE INDEX embeddings_place ON embeddings (segment, row);
    CREATE TABLE pending (path TEXT PRIMARY KEY, kind TEXT NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, term TEXT NOT NULL);
    CREATE UNIQUE INDEX vocabulary_term ON vocabulary (term);
    """,
    _DIGESTS,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a catalog of any older layout, or an empty one, to this one; a run that dies leaves it as it was."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version < len(MIGRATIONS):
        with disk.transaction(connection):
            for number in range(version, len(MIGRATIONS)):
                _apply(connection, number)


def _apply(connection: sqlite3.Connection, number: int) -> None:
    for statement in MIGRATIONS[number].split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {number + 1}")


def described(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Every table and index of a catalog, and anything else of its schema, less SQLite's own statistics."""
    rows = connection.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"
    )
    return {tuple(map(str, row)) for row in rows}


@cache
def expected(version: int = len(MIGRATIONS)) -> frozenset[tuple[str, ...]]:
    """The schema of a sound catalog."""
    with closing(sqlite3.connect(":memory:")) as connection:
        digests.register(connection)
        for number in range(version):
            _apply(connection, number)
        return frozenset(described(connection))
