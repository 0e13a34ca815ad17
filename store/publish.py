"""Publish a generation: write its derived files, then flip `current` in one transaction."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

from store import catalog, disk, embeddings, files, rows
from store.derive import Derived, Entries, derive
from store.idsets import distinct


def publish(connection: sqlite3.Connection, folder: Path, settings: dict[str, Any], keep: int) -> int:
    """Make what is staged the new current generation and drop those beyond `keep`; returns its number."""
    number = catalog.current(connection) + 1
    derived = folder / catalog.DERIVED
    disk.make_folder(derived)
    with disk.transaction(connection):
        before = _entries(connection, number - 1)
        made = derive(connection, derived, before, number)
        _record(connection, number, settings, before, made)
        catalog.put(connection, "current", number)
        kept = _retire(connection, keep)
        _forget(connection, made.table)
    disk.checkpoint(connection)
    sweep(derived, kept)
    return number


def _forget(connection: sqlite3.Connection, table: rows.Table) -> None:
    """Drop the oldest unused embeddings, beyond as many as are used."""
    used = len(distinct(table["embedding"]))
    if connection.execute("SELECT count(*) FROM embeddings").fetchone()[0] > 2 * used:
        mark_used(connection)
        embeddings.forget(connection, used)
        connection.execute("DROP TABLE temp.used")


def mark_used(connection: sqlite3.Connection) -> None:
    """List the embeddings that live chunks use, in a temporary table."""
    connection.execute("DROP TABLE IF EXISTS temp.used")
    connection.execute("CREATE TEMP TABLE used (id INTEGER PRIMARY KEY)")
    connection.execute(
        "INSERT OR IGNORE INTO temp.used SELECT c.embedding_id FROM files AS f"
        " JOIN chunks AS c ON c.file_id = f.id WHERE f.died IS NULL"
    )


def _record(
    connection: sqlite3.Connection, number: int, settings: dict[str, Any], before: Entries, made: Derived
) -> None:
    entries = {name: dataclasses.asdict(w) if w else before[name] for name, w in sorted(made.written.items())}
    counted = len(distinct(made.table["file"])), len(made.table["chunk"])
    connection.execute(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?)",
        (number, time.time(), json.dumps(settings, sort_keys=True), json.dumps(entries), *counted),
    )


def _entries(connection: sqlite3.Connection, number: int) -> Entries:
    """The derived files of a generation, by name."""
    row = connection.execute("SELECT derived FROM generations WHERE number = ?", (number,)).fetchone()
    return {} if row is None else dict(json.loads(row[0]))


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
