"""Rows of files: what the catalog knows of each path, and the versions a generation shows."""

from __future__ import annotations

import dataclasses
import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from store.digests import CHUNKS, FILES, marks, row_digest
from store.embeddings import text_key
from store.records import FileStat, Problem, Span

COLUMNS = (
    "id, path, size_bytes, mtime_ns, ctime_ns, inode, sha256, state, kind, reason, content_id,"
    " date, date_from, title, language"
)


class FileRow(NamedTuple):
    """The live version of a file; `state` is indexed, empty, failed or skipped."""

    id: int
    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    sha256: str | None
    state: str
    kind: str | None
    reason: str | None
    content_id: int | None
    date: str | None
    date_from: str | None
    title: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class StagedChunk:
    """A chunk ready to be written: its place, the key of its text, its embedding and its term counts."""

    span: Span
    text_key: bytes
    embedding_id: int
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A new version of a file; `replaces` is the live row it takes the place of.

    With `copy_chunks_of` the chunks and the content of that row are taken over instead.
    """

    stat: FileStat
    sha256: str | None
    state: str
    kind: str | None = None
    reason: str | None = None
    text: str | None = None
    date: str | None = None
    date_from: str | None = None
    title: str | None = None
    language: str | None = None
    chunks: Sequence[StagedChunk] = ()
    replaces: FileRow | None = None
    copy_chunks_of: int | None = None


LIVE = "died IS NULL"
"""The SQL condition that the next generation shows a row of `files`."""


def shown(generation: int) -> str:
    """The SQL condition that a generation shows a row of `files`."""
    return f"(born <= {generation:d} AND (died IS NULL OR died > {generation:d}))"


def live(connection: sqlite3.Connection) -> dict[str, FileRow]:
    """The live version of every known path."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM files WHERE died IS NULL")
    return {row[1]: FileRow._make(row) for row in rows}


def problems(connection: sqlite3.Connection) -> list[Problem]:
    """What is recorded of live files that failed or were skipped."""
    rows = connection.execute(
        "SELECT path, kind, coalesce(reason, '') FROM files"
        " WHERE died IS NULL AND state IN ('failed', 'skipped') AND kind IS NOT NULL"
    )
    return [Problem(*row) for row in rows]


def touch(connection: sqlite3.Connection, pairs: Iterable[tuple[FileRow, FileStat]]) -> None:
    """Record the newer stat of files whose bytes did not change."""
    touched = list(pairs)
    connection.executemany(
        "UPDATE files SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE id = ?",
        [(s.size_bytes, s.mtime_ns, s.ctime_ns, s.inode, row.id) for row, s in touched],
    )
    connection.executemany(FILES.update("id = ?"), [(row.id,) for row, _ in touched])


def end(connection: sqlite3.Connection, rows: Iterable[FileRow], generation: int) -> None:
    """Let rows live no longer than the generation before."""
    connection.executemany("UPDATE files SET died = ? WHERE id = ?", [(generation, row.id) for row in rows])


def stage(connection: sqlite3.Connection, file: StagedFile, generation: int, term_ids: Mapping[str, int]) -> None:
    """Write one version of a file, to be seen from `generation` on; `term_ids` numbers its terms."""
    if file.replaces is not None:
        end(connection, [file.replaces], generation)
    content_id = _content(connection, file)
    stat = file.stat
    values = (
        stat.path, stat.size_bytes, stat.mtime_ns, stat.ctime_ns, stat.inode, file.sha256, file.state, file.kind,
        file.reason, content_id, file.date, file.date_from, file.title, file.language,
    )  # fmt: skip
    cursor = connection.execute(
        f"INSERT INTO files ({FILES.columns}, born, digest) VALUES ({marks(len(values) + 2)})",
        (*values, generation, row_digest(*values)),
    )
    file_id = int(cursor.lastrowid or 0)
    if file.copy_chunks_of is not None:
        _copy(connection, file.copy_chunks_of, file_id)
    else:
        _insert_chunks(connection, file_id, file.chunks, term_ids)


def _content(connection: sqlite3.Connection, file: StagedFile) -> int | None:
    if file.copy_chunks_of is not None:
        return _content_of(connection, file.copy_chunks_of)
    if file.text is None:
        return None
    key = text_key(file.text)
    row = connection.execute("SELECT id FROM contents WHERE key = ?", (key,)).fetchone()
    if row is not None:
        return int(row[0])
    cursor = connection.execute("INSERT INTO contents (key, text) VALUES (?, ?)", (key, file.text))
    return int(cursor.lastrowid or 0)


def _content_of(connection: sqlite3.Connection, file_id: int) -> int | None:
    row = connection.execute("SELECT content_id FROM files WHERE id = ?", (file_id,)).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def _copy(connection: sqlite3.Connection, source: int, target: int) -> None:
    columns = f"{CHUNKS.columns}, digest"
    connection.execute(
        f"INSERT INTO chunks (file_id, {columns}) SELECT ?, {columns} FROM chunks WHERE file_id = ? ORDER BY position",
        (target, source),
    )


def _packed(terms: Mapping[str, int], term_ids: Mapping[str, int]) -> tuple[bytes, bytes]:
    """Term ids (uint32, little endian, ascending) and counts (uint8, at most 255)."""
    counts = {term_ids[term]: count for term, count in terms.items()}
    ids = sorted(counts)
    return struct.pack(f"<{len(ids)}I", *ids), bytes([min(counts[id_], 255) for id_ in ids])


def _insert_chunks(
    connection: sqlite3.Connection, file_id: int, chunks: Sequence[StagedChunk], term_ids: Mapping[str, int]
) -> None:
    rows = [
        (position, *dataclasses.astuple(c.span), c.text_key, c.embedding_id, *_packed(c.terms, term_ids))
        for position, c in enumerate(chunks)
    ]
    connection.executemany(
        f"INSERT INTO chunks (file_id, {CHUNKS.columns}, digest) VALUES ({marks(12)})",
        [(file_id, *row, row_digest(*row)) for row in rows],
    )


def text_keys(connection: sqlite3.Connection, file_id: int) -> list[bytes]:
    """The keys of a file version's chunk texts, in order."""
    rows = connection.execute("SELECT text_key FROM chunks WHERE file_id = ? ORDER BY position", (file_id,))
    return [bytes(row[0]) for row in rows]


def holds_staged(connection: sqlite3.Connection, current: int) -> bool:
    """Whether any version begins or ends beyond `current`."""
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM files WHERE born > ?1) OR EXISTS (SELECT 1 FROM files WHERE died > ?1)",
        (current,),
    )
    return bool(found.fetchone()[0])


def discard_staged(connection: sqlite3.Connection, current: int) -> None:
    """Forget what an unfinished run wrote beyond `current`; embeddings stay."""
    connection.execute("DELETE FROM chunks WHERE file_id IN (SELECT id FROM files WHERE born > ?)", (current,))
    connection.execute("DELETE FROM files WHERE born > ?", (current,))
    connection.execute("UPDATE files SET died = NULL WHERE died > ?", (current,))
    drop_orphans(connection)


def forget_unshown(connection: sqlite3.Connection, kept: Sequence[int]) -> None:
    """Delete the ended versions that none of the kept generations shows, and the contents that only they had."""
    unshown = " AND ".join(["died IS NOT NULL", *(f"NOT {shown(number)}" for number in kept)])
    contents = connection.execute(f"SELECT DISTINCT content_id FROM files WHERE {unshown}").fetchall()
    connection.execute(f"DELETE FROM chunks WHERE file_id IN (SELECT id FROM files WHERE {unshown})")
    connection.execute(f"DELETE FROM files WHERE {unshown}")
    connection.executemany(
        "DELETE FROM contents WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM files WHERE content_id = ?1)", contents
    )


def drop_orphans(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM files WHERE content_id = contents.id)")
