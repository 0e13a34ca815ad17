"""Short digests over the catalog's own rows, so that a flipped bit is never taken for content."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass

SQL_NAME = "row_digest"


@dataclass(frozen=True, slots=True)
class Digested:
    """A table whose column `digest` covers other columns of the same row."""

    table: str
    columns: str

    @property
    def call(self) -> str:
        """The digest as an SQL expression over a row."""
        return f"{SQL_NAME}({self.columns})"

    def update(self, where: str) -> str:
        """The statement that digests some rows anew."""
        return f"UPDATE {self.table} SET digest = {self.call} WHERE {where}"


META = Digested("meta", "key, value")
GENERATIONS = Digested("generations", "number, published_at, settings, derived, files, chunks")
FILES = Digested(
    "files",
    "path, size_bytes, mtime_ns, ctime_ns, inode, sha256, state, kind, reason, content_id, date, date_from, title,"
    " language",
)
CHUNKS = Digested(
    "chunks",
    "position, char_start, char_end, line_start, line_end, heading, text_key, embedding_id, term_ids, term_counts",
)
VECTORS = Digested("vectors", "vector")
DIGESTED = (META, GENERATIONS, FILES, CHUNKS, VECTORS)


def row_digest(*values: object) -> bytes:
    """8 bytes over the values of a row: integers, floats, text, blobs and NULL, in order."""
    blobs = [value for value in values if isinstance(value, bytes)]
    shape = [(len(value),) if isinstance(value, bytes) else value for value in values]
    blobs.append(repr(shape).encode("utf-8", "surrogatepass"))
    return hashlib.blake2b(b"".join(blobs), digest_size=8).digest()


def register(connection: sqlite3.Connection) -> None:
    """Let SQL call `row_digest`."""
    connection.create_function(SQL_NAME, -1, row_digest, deterministic=True)


def marks(count: int) -> str:
    """So many placeholders of SQL."""
    return ", ".join("?" * count)
