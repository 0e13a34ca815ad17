"""Derive a generation's files: its rows, its keyword index, and the vectors that have no place yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import container, disk, embeddings, postings, rows, segments, verify
from store.files import LIVE
from store.merge import merge
from store.postings import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

Entries = Mapping[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Derived:
    """The files of a generation, None for those that were there before; and its rows."""

    written: Mapping[str, disk.Written | None]
    table: rows.Table


def lexicon_name(number: int) -> str:
    return f"keywords-{number:08d}.bin"


def rows_name(number: int) -> str:
    return f"rows-{number:08d}.bin"


@dataclass(frozen=True, slots=True)
class _Base:
    """What the last generation derived, and the segments it lists."""

    rows: Mapping[str, NDArray[Any]]
    index: Index


def derive(connection: sqlite3.Connection, derived: Path, entries: Entries, number: int) -> Derived:
    """Write the files of generation `number` below `derived`; `entries` are those of the one before."""
    table, index = _next(connection, _base(derived, entries, connection, number), number)
    listed = [int(name[len("vectors-") : -len(".bin")]) for name in entries if name.startswith("vectors-")]
    placed = segments.place(connection, table, listed, number)
    written: dict[str, disk.Written | None] = {segments.file_name(n): None for n in segments.sizes(table)}
    if placed:
        written[segments.file_name(number)] = segments.write(connection, derived, number)
    count = len(table["chunk"])
    meta = {"rows": count, "languages": rows.languages(connection, LIVE)}
    arrays = {**table, "group": rows.groups(table["key"]), "term": index.ids}
    written[rows_name(number)] = container.write(derived / rows_name(number), meta, arrays)
    written[lexicon_name(number)] = container.write(derived / lexicon_name(number), {"rows": count}, index.arrays)
    return Derived(written, table)


def _next(connection: sqlite3.Connection, base: _Base | None, number: int) -> tuple[rows.Table, Index]:
    """The rows and the keyword index of generation `number`, from the last one where that saves reading all."""
    fresh = rows.read(connection, LIVE if base is None else f"{LIVE} AND born >= {number:d}")
    if base is None:
        return fresh.table, postings.build(fresh.counted, partial(embeddings.ordered_terms, connection))
    table, moved = rows.carried_over(connection, base.rows, fresh.table)
    return table, merge(base.index, moved, fresh.counted, partial(embeddings.terms, connection))


def _base(derived: Path, entries: Entries, connection: sqlite3.Connection, number: int) -> _Base | None:
    """The last generation's rows and keyword index; None if they are not whole, or half of the files are new.

    The whole files are digested first: a fault in them would live on in every later generation.
    """
    names = [name for name in sorted(entries) if name.startswith(("keywords-", "rows-"))]
    if not names or not _mostly_old(connection, number):
        return None
    if not all(verify.whole(derived / name, entries[name]) for name in names):
        return None
    try:
        keywords, table = (container.Container(derived / name) for name in names)
    except container.Damaged:  # whole, but written by an older version
        return None
    return _Base(table.arrays, Index(keywords.arrays, table.arrays["term"]))


def _mostly_old(connection: sqlite3.Connection, number: int) -> bool:
    old, new = connection.execute(
        "SELECT coalesce(sum(born < ?1), 0), coalesce(sum(born >= ?1), 0) FROM files WHERE died IS NULL", (number,)
    ).fetchone()
    return bool(old > new)
