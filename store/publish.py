"""Publish a generation: write its derived files, then flip `current` in one transaction."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

from store import afresh, catalog, container, disk, embeddings, files, rows, seal
from store.derive import Derived, Entries, derive
from store.digests import GENERATIONS, row_digest
from store.idsets import distinct

_POSTPONED_AFTER_SECONDS = 0.25
_SPARSE_BYTES = 4_000_000
_PAGES = ("freelist_count", "page_count", "page_size")


def publish(connection: sqlite3.Connection, folder: Path, settings: dict[str, Any], keep: int) -> int:
    """Make what is staged the new current generation and drop those beyond `keep`; returns its number."""
    number = flip(connection, folder / catalog.DERIVED, settings, keep)
    seal.opened(folder, number)
    settle(connection, folder)
    return number


def flip(connection: sqlite3.Connection, derived: Path, settings: dict[str, Any], keep: int) -> int:
    """Write what is derived and record the next generation, all or nothing; older files stay until they are swept."""
    number = catalog.current(connection) + 1
    disk.make_folder(derived)
    with disk.transaction(connection):
        before = _entries(connection, number - 1)
        made = derive(connection, derived, before, number)
        _record(connection, number, settings, before, made)
        catalog.put(connection, "current", number)
        retire(connection, keep)
        _forget(connection, made.table)
    return number


def settle(connection: sqlite3.Connection, folder: Path) -> None:
    """Move the write-ahead log into the catalog, give space back, and remove files that no generation names."""
    disk.checkpoint(connection, _POSTPONED_AFTER_SECONDS)
    if _sparse(connection, folder):
        disk.vacuum(connection)
        disk.checkpoint(connection, _POSTPONED_AFTER_SECONDS)
    sweep(folder / catalog.DERIVED, set(derived_entries(connection)))


def _sparse(connection: sqlite3.Connection, folder: Path) -> bool:
    """Whether most of the catalog is free pages, and the disk has room to write it anew."""
    free, pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
    worth_it = free * 2 > pages and free * size > _SPARSE_BYTES
    return bool(worth_it and shutil.disk_usage(folder).free > 3 * (pages - free) * size)


def _forget(connection: sqlite3.Connection, table: rows.Table) -> None:
    """Drop the oldest unused embeddings, beyond as many as are used."""
    used = len(distinct(table["embedding"]))
    if connection.execute("SELECT count(*) FROM embeddings").fetchone()[0] > 2 * used:
        mark_used(connection)
        _mark(connection, "died IS NOT NULL")  # only older generations use these, and must stay derivable
        embeddings.forget(connection, used)
        connection.execute("DROP TABLE temp.used")


def mark_used(connection: sqlite3.Connection) -> None:
    """List the embeddings that live chunks use, in a temporary table."""
    connection.execute("DROP TABLE IF EXISTS temp.used")
    connection.execute("CREATE TEMP TABLE used (id INTEGER PRIMARY KEY)")
    _mark(connection, files.LIVE)


def _mark(connection: sqlite3.Connection, which: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO temp.used SELECT c.embedding_id FROM files AS f"
        f" JOIN chunks AS c ON c.file_id = f.id WHERE {which}"
    )


def _record(
    connection: sqlite3.Connection, number: int, settings: dict[str, Any], before: Entries, made: Derived
) -> None:
    entries = {name: dataclasses.asdict(w) if w else before[name] for name, w in sorted(made.written.items())}
    counted = len(distinct(made.table["file"])), len(made.table["chunk"])
    row = (number, time.time(), json.dumps(settings, sort_keys=True), json.dumps(entries), *counted)
    connection.execute("INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, row_digest(*row)))


def derive_again(connection: sqlite3.Connection, folder: Path, number: int) -> None:
    """Write what is derived for a generation once more, on its own and under new names, and record that."""
    derived = folder / catalog.DERIVED
    disk.make_folder(derived)
    suffix = _unused_suffix(derived, number)
    found = afresh.derive(connection, number)
    parts = {f"rows-{suffix}.bin": found.rows, f"keywords-{suffix}.bin": found.keywords}
    parts[f"alone-{suffix}.bin"] = found.vectors
    entries = {
        name: dataclasses.asdict(container.write(derived / name, part.meta, part.arrays))
        for name, part in sorted(parts.items())
    }
    with disk.transaction(connection):
        connection.execute("UPDATE generations SET derived = ? WHERE number = ?", (json.dumps(entries), number))
        connection.execute(GENERATIONS.update("number = ?"), (number,))


def _unused_suffix(derived: Path, number: int) -> str:
    taken = {path.name for path in derived.glob("rows-*")}
    turn = 1
    while f"rows-{number:08d}-{turn}.bin" in taken:
        turn += 1
    return f"{number:08d}-{turn}"


def _entries(connection: sqlite3.Connection, number: int) -> Entries:
    """The derived files of a generation, by name."""
    row = connection.execute("SELECT derived FROM generations WHERE number = ?", (number,)).fetchone()
    return {} if row is None else dict(json.loads(row[0]))


def derived_entries(connection: sqlite3.Connection) -> dict[str, Any]:
    """Every derived file that a generation names, as it was written."""
    known: dict[str, Any] = {}
    for (text,) in connection.execute("SELECT derived FROM generations ORDER BY number"):
        known.update(json.loads(text))
    return known


def retire(connection: sqlite3.Connection, keep: int) -> None:
    """Drop generations beyond the newest `keep` and the one held by hand, with what they alone show."""
    numbers = [row[0] for row in connection.execute("SELECT number FROM generations ORDER BY number DESC")]
    held = catalog.held(connection)
    kept = sorted({*numbers[: max(1, keep)], *([held] if held in numbers else [])})
    for number in numbers:
        if number not in kept:
            connection.execute("DELETE FROM generations WHERE number = ?", (number,))
    files.forget_unshown(connection, kept)


def sweep(derived: Path, kept: set[str]) -> None:
    """Remove derived files that no generation names."""
    for path in sorted(derived.glob("*")):
        if path.name not in kept:
            disk.remove(path)
