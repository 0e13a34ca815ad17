"""Publish a generation: write its derived files, then flip `current` in one transaction."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import catalog, container, disk, embeddings, files, lexicon, segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def lexicon_name(number: int) -> str:
    return f"keywords-{number:08d}.bin"


def rows_name(number: int) -> str:
    return f"rows-{number:08d}.bin"


def publish(connection: sqlite3.Connection, folder: Path, settings: dict[str, Any], keep: int) -> int:
    """Make what is staged the new current generation and drop those beyond `keep`; returns its number."""
    number = catalog.current(connection) + 1
    derived = folder / catalog.DERIVED
    disk.make_folder(derived)
    with disk.transaction(connection):
        written = _derive(connection, derived, number)
        _record(connection, number, settings, written)
        catalog.put(connection, "current", number)
        kept = _retire(connection, keep)
        embeddings.forget(connection, _used_count(connection))
    connection.execute("DROP TABLE temp.used")
    disk.checkpoint(connection)
    sweep(derived, kept)
    return number


def _used_count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM temp.used").fetchone()[0])


def mark_used(connection: sqlite3.Connection) -> None:
    """List the embeddings that live chunks use, in a temporary table."""
    connection.execute("DROP TABLE IF EXISTS temp.used")
    connection.execute("CREATE TEMP TABLE used (id INTEGER PRIMARY KEY)")
    connection.execute(
        "INSERT OR IGNORE INTO temp.used SELECT c.embedding_id FROM files AS f"
        " JOIN chunks AS c ON c.file_id = f.id WHERE f.died IS NULL"
    )


def _derive(connection: sqlite3.Connection, derived: Path, number: int) -> dict[str, disk.Written | None]:
    mark_used(connection)
    merged = segments.to_merge(segments.sizes(connection))
    segments.loosen(connection, merged)
    written: dict[str, disk.Written | None] = {}
    if segments.assign(connection, number):
        written[segments.file_name(number)] = segments.write(connection, derived, number)
    for segment in sorted(segments.sizes(connection)):
        written.setdefault(segments.file_name(segment), None)
    written[rows_name(number)] = _write_rows(connection, derived / rows_name(number))
    written[lexicon_name(number)] = _write_lexicon(connection, derived / lexicon_name(number))
    return written


def _write_rows(connection: sqlite3.Connection, path: Path) -> disk.Written:
    """One row a live chunk, by path then position: its ids, the first row of equal text, its vector's place."""
    import numpy as np

    cursor = connection.execute(
        "SELECT c.id, c.file_id, e.segment, e.row, c.text_key FROM files AS f JOIN chunks AS c ON c.file_id = f.id"
        " JOIN embeddings AS e ON e.id = c.embedding_id WHERE f.died IS NULL ORDER BY f.path, c.position"
    )
    numbers: list[tuple[int, int, int, int]] = []
    first: dict[bytes, int] = {}
    groups: list[int] = []
    for chunk, file, segment, row, key in cursor:
        groups.append(first.setdefault(key, len(groups)))
        numbers.append((chunk, file, segment, row))
    table: NDArray[np.int64] = np.array(numbers, dtype=np.int64).reshape(-1, 4)
    arrays: dict[str, NDArray[Any]] = {
        "chunk": table[:, 0].copy(),
        "file": table[:, 1].copy(),
        "segment": table[:, 2].astype(np.int32),
        "row": table[:, 3].astype(np.int32),
        "group": np.array(groups, dtype=np.int32),
    }
    return container.write(path, {"rows": len(groups), "languages": _languages(connection)}, arrays)


def _languages(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT DISTINCT language FROM files WHERE died IS NULL AND content_id IS NOT NULL AND language IS NOT NULL"
    )
    return sorted(str(row[0]) for row in rows)


def _write_lexicon(connection: sqlite3.Connection, path: Path) -> disk.Written:
    import numpy as np

    cursor = connection.execute(
        "SELECT c.term_ids, c.term_counts FROM files AS f JOIN chunks AS c ON c.file_id = f.id"
        " WHERE f.died IS NULL ORDER BY f.path, c.position"
    )
    ids, counts, per_row = bytearray(), bytearray(), []
    for term_ids, term_counts in cursor:
        ids += term_ids
        counts += term_counts
        per_row.append(len(term_counts))
    terms: dict[int, str] = dict(connection.execute("SELECT id, term FROM vocabulary").fetchall())
    arrays = lexicon.build(
        np.frombuffer(ids, dtype="<u4"),
        np.frombuffer(counts, dtype=np.uint8),
        np.array(per_row, dtype=np.int64),
        terms,
    )
    return container.write(path, {"rows": len(per_row)}, arrays)


def _record(
    connection: sqlite3.Connection, number: int, settings: dict[str, Any], written: dict[str, disk.Written | None]
) -> None:
    before = _derived_before(connection)
    entries = {name: dataclasses.asdict(w) if w else before[name] for name, w in sorted(written.items())}
    indexed = connection.execute(
        "SELECT count(*) FROM files WHERE died IS NULL AND EXISTS (SELECT 1 FROM chunks WHERE file_id = files.id)"
    ).fetchone()[0]
    chunks = connection.execute(
        "SELECT count(*) FROM files AS f JOIN chunks AS c ON c.file_id = f.id WHERE f.died IS NULL"
    ).fetchone()[0]
    connection.execute(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?)",
        (number, time.time(), json.dumps(settings, sort_keys=True), json.dumps(entries), indexed, chunks),
    )


def _derived_before(connection: sqlite3.Connection) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for (text,) in connection.execute("SELECT derived FROM generations ORDER BY number"):
        known.update(json.loads(text))
    return known


def _retire(connection: sqlite3.Connection, keep: int) -> set[str]:
    """Drop generations beyond the newest `keep` and the one held by hand; returns the files still needed."""
    numbers = [row[0] for row in connection.execute("SELECT number FROM generations ORDER BY number DESC")]
    held = catalog.get(connection, "use")
    kept = sorted({*numbers[: max(1, keep)], *([held] if held in numbers else [])})
    for number in numbers:
        if number not in kept:
            connection.execute("DELETE FROM generations WHERE number = ?", (number,))
    files.forget_before(connection, kept[0])
    return set(_derived_before(connection))


def sweep(derived: Path, kept: set[str]) -> None:
    """Remove derived files that no generation names."""
    for path in sorted(derived.glob("*")):
        if path.name not in kept:
            disk.remove(path)
