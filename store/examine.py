"""Read every byte of an index and say where its parts are damaged or do not agree."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import afresh, audit, catalog, reading, schema
from store.container import Damaged, Named
from store.errors import WhereinError
from store.snapshot import Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REBUILD, FORGET, PURGE = "rebuild", "forget", "purge"
_MANY = 1000
_UNIT_LENGTH_MARGIN = 1e-3
_PLACES = ("segment", "row")
"""Columns of the rows that say where a vector lies, which two sound indexes need not agree in."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and what mends it: "rebuild", "forget" (a rebuild that embeds again) or "purge"."""

    problem: str
    remedy: str = REBUILD


def examine(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with an index; nothing is believed by its stat."""
    try:
        with closing(reading.begun(folder / catalog.NAME)) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version != len(schema.MIGRATIONS):
                yield Finding(f"the catalog has schema {version} where {len(schema.MIGRATIONS)} is known")
                return
            found = [Finding(f"the catalog: {problem}") for problem in audit.findings(connection)]
            yield from found
            if not found:
                yield from _generations(connection, folder)
    except catalog.UNREADABLE as error:
        yield Finding(f"the catalog cannot be read ({error})")


def _generations(connection: sqlite3.Connection, folder: Path) -> Iterator[Finding]:
    current, held = catalog.current(connection), catalog.held(connection)
    numbers = [row[0] for row in connection.execute("SELECT number FROM generations ORDER BY number DESC")]
    for number in numbers:
        remedy = REBUILD if number in (current, held) else PURGE
        snapshot = Snapshot(connection, folder, number, None)
        damaged = snapshot.check_all()
        yield from (Finding(f"generation {number}: {name} is damaged", remedy) for name in damaged)
        if not damaged:
            yield from _disagreements(snapshot, remedy)


def _disagreements(snapshot: Snapshot, remedy: str) -> Iterator[Finding]:
    """Whole files that do not say what the catalog says."""
    try:
        snapshot.open_derived()
        rows, keywords = afresh.without_vectors(snapshot.connection, snapshot.number)
        same = _same(snapshot.rows, rows) and snapshot.lexicon.rows == keywords.meta["rows"]
        if not same:
            yield Finding(f"generation {snapshot.number}: the rows are not those of the catalog", remedy)
            return
        if not _equal(snapshot.lexicon.arrays, keywords.arrays):
            yield Finding(f"generation {snapshot.number}: the keyword index is not that of the catalog", remedy)
        yield from _vectors(snapshot, remedy)
        yield from _passages(snapshot)
    except (Damaged, KeyError, IndexError, ValueError) as error:
        yield Finding(f"generation {snapshot.number}: its files do not fit together ({error})", remedy)


def _same(one: Named, other: Named) -> bool:
    names = [name for name in other.arrays if name not in _PLACES]
    return one.meta == other.meta and _equal(*({name: part.arrays[name] for name in names} for part in (one, other)))


def _equal(one: Any, other: Any) -> bool:
    import numpy as np

    return sorted(one) == sorted(other) and all(np.array_equal(one[name], other[name]) for name in other)


def _vectors(snapshot: Snapshot, remedy: str) -> Iterator[Finding]:
    """Each embedding in its segment against the catalog's, which must be finite and of unit length."""
    import numpy as np

    table = snapshot.rows.arrays
    ids, first = np.unique(table["embedding"], return_index=True)
    strange = different = 0
    for start in range(0, len(ids), _MANY):
        part = slice(start, start + _MANY)
        recorded = afresh.matrix(snapshot.connection, ids[part])
        lengths = np.linalg.norm(recorded.astype(np.float64), axis=1)
        strange += int(np.sum(~(np.abs(lengths - 1) < _UNIT_LENGTH_MARGIN)))
        different += int(np.sum((_placed(snapshot, first[part]) != recorded).any(axis=1)))
    if strange:
        yield Finding(f"generation {snapshot.number}: {strange} embeddings are not of unit length", FORGET)
    if different:
        yield Finding(f"generation {snapshot.number}: {different} vectors are not those of the catalog", remedy)


def _placed(snapshot: Snapshot, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    import numpy as np

    places = zip(*(snapshot.rows.arrays[name][rows].tolist() for name in _PLACES), strict=True)
    return np.stack([snapshot.segments[segment][row] for segment, row in places])


def _passages(snapshot: Snapshot) -> Iterator[Finding]:
    """Every passage cut from its text again."""
    for start in range(0, len(snapshot), _MANY):
        try:
            snapshot.passages(range(start, min(start + _MANY, len(snapshot))))
        except WhereinError as error:
            yield Finding(f"generation {snapshot.number}: {error.message}")
            return
