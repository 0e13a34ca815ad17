"""Whether a catalog is what its writer wrote: SQLite's own check, then every row against its digest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from store import schema
from store.digests import CHUNKS, DIGESTED, FILES, GENERATIONS, META, VECTORS
from store.embeddings import text_key
from store.files import shown

MOST = 10
"""How many findings of one kind are named."""

_NAMED = {
    META: "'entry ' || key",
    GENERATIONS: "'generation ' || number",
    FILES: "'what is recorded of ' || path",
    CHUNKS: "'passage ' || (position + 1) || ' of ' || coalesce((SELECT path FROM files WHERE id = file_id), '?')",
    VECTORS: "'embedding ' || id",
}
_LINKS = (
    ("passages without a file", "chunks AS a LEFT JOIN files AS b ON b.id = a.file_id WHERE b.id IS NULL"),
    ("passages without an embedding", "chunks AS a LEFT JOIN embeddings AS b ON b.id = a.embedding_id"
     " WHERE b.id IS NULL"),
    ("embeddings without a vector", "embeddings AS a LEFT JOIN vectors AS b ON b.id = a.id WHERE b.id IS NULL"),
    ("files without their text", "files AS a LEFT JOIN contents AS b ON b.id = a.content_id"
     " WHERE a.content_id IS NOT NULL AND b.id IS NULL"),
)  # fmt: skip


def findings(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with a catalog, cheapest checks first; raises sqlite3.DatabaseError if it cannot be read."""
    if schema.described(connection) != schema.expected():
        yield "its tables are not those of this version"
        return
    for (said,) in connection.execute(f"PRAGMA integrity_check({MOST})").fetchall():
        if said != "ok":
            yield " ".join(str(said).split())
    yield from _named(connection)
    yield from _counts(connection)
    yield from _links(connection)
    for rows in DIGESTED:
        query = f"SELECT {_NAMED[rows]} FROM {rows.table} WHERE digest IS NOT {rows.call} LIMIT {MOST}"
        for (name,) in connection.execute(query):
            yield f"{name} does not match its digest"
    yield from _texts(connection)


def _named(connection: sqlite3.Connection) -> Iterator[str]:
    """Generations that the catalog points to and does not hold."""
    rows = connection.execute("SELECT value FROM meta WHERE key IN ('current', 'use') ORDER BY key").fetchall()
    known = {str(row[0]) for row in connection.execute("SELECT number FROM generations")}
    yield from (f"generation {value} is not in it" for (value,) in rows if value not in {*known, "0"})


def _counts(connection: sqlite3.Connection) -> Iterator[str]:
    for number, files, chunks in connection.execute("SELECT number, files, chunks FROM generations").fetchall():
        found = connection.execute(
            "SELECT count(DISTINCT f.id), count(*) FROM files AS f JOIN chunks AS c ON c.file_id = f.id"
            f" WHERE {shown(number)}"
        ).fetchone()
        if found != (files, chunks):
            yield (
                f"generation {number} shows {found[0]} files and {found[1]} passages"
                f" where {files} and {chunks} were published"
            )


def _links(connection: sqlite3.Connection) -> Iterator[str]:
    for what, where in _LINKS:
        count = connection.execute(f"SELECT count(*) FROM {where}").fetchone()[0]
        if count:
            yield f"{count} {what}"


def _texts(connection: sqlite3.Connection) -> Iterator[str]:
    cursor = connection.execute("SELECT id, key, text FROM contents ORDER BY id")
    wrong = [id_ for id_, key, text in cursor if text_key(text) != bytes(key)]
    for id_ in wrong[:MOST]:
        row = connection.execute("SELECT min(path) FROM files WHERE content_id = ?", (id_,)).fetchone()
        yield f"the text of {row[0] or 'a former file'} does not match its digest"
