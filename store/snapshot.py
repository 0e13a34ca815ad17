"""One generation of a collection, opened for reading."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import afresh, catalog, verify
from store.container import Damaged, Named
from store.digests import GENERATIONS
from store.embeddings import text_key
from store.errors import WhereinError
from store.files import shown
from store.lexicon import Lexicon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MANY = 500
_RETRIES = 20


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as a generation holds it; `modified_ns` is the file's recorded time of change."""

    path: str
    position: int
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    heading: str | None
    text: str
    date: str | None
    date_from: str | None
    modified_ns: int
    file_id: int


@dataclass(frozen=True, slots=True)
class Published:
    """A generation that is on disk; `size_bytes` of its derived files."""

    number: int
    published_at: float
    files: int
    chunks: int
    size_bytes: int


class Snapshot:
    """Reads from exactly one generation, whatever a writer does meanwhile."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, number: int, log: Path | None) -> None:
        self.connection = connection
        self.folder = folder
        self.number = number
        self.held = catalog.held(connection) is not None
        self._log = log
        self._computed: dict[str, list[Named]] | None = None
        row = connection.execute(
            f"SELECT settings, derived, published_at, digest IS {GENERATIONS.call} FROM generations WHERE number = ?",
            (number,),
        ).fetchone()
        if row is None or not row[3]:
            what = "is not in it" if row is None else "does not match its digest"
            raise catalog.damaged(folder.name, f"generation {number} {what}")
        self.settings: dict[str, Any] = json.loads(row[0])
        self._derived: dict[str, dict[str, Any]] = json.loads(row[1])
        self.published_at: float = row[2]

    @property
    def refreshed_at(self) -> float:
        """When this was last found to be what the folder holds; seconds since 1970."""
        if self.held:
            return self.published_at
        return float(catalog.get(self.connection, "refreshed_at", self.published_at))

    @cached_property
    def rows(self) -> Named:
        return self._open("rows-")[0]

    @cached_property
    def lexicon(self) -> Lexicon:
        (found,) = self._open("keywords-")
        return Lexicon(found.arrays, found.meta["rows"])

    @cached_property
    def segments(self) -> dict[int, NDArray[np.float32]]:
        found = [*self._open("vectors-"), *self._open("alone-")]
        return {part.meta["segment"]: part.arrays["vectors"] for part in found}

    def __len__(self) -> int:
        return int(self.rows.meta["rows"])

    def _open(self, prefix: str) -> list[Named]:
        if self._computed is not None:
            return self._computed.get(prefix, [])
        place = self.folder / catalog.DERIVED
        names = [name for name in sorted(self._derived) if name.startswith(prefix)]
        return [verify.opened(place / name, self._derived[name], self._log) for name in names]

    def compute_derived(self) -> None:
        """Derive everything from the catalog, in memory, instead of opening the files."""
        found = afresh.derive(self.connection, self.number)
        self._computed = {"rows-": [found.rows], "keywords-": [found.keywords], "alone-": [found.vectors]}

    def open_derived(self) -> None:
        """Map every derived file now; raises Damaged, naming the file."""
        _ = self.rows, self.lexicon, self.segments

    def check_all(self) -> list[str]:
        """Digest every derived file; the names of those that are damaged."""
        folder = self.folder / catalog.DERIVED
        return [name for name, entry in sorted(self._derived.items()) if not verify.whole(folder / name, entry)]

    def problems(self) -> list[str]:
        """What is wrong with the derived files, as far as opening them would tell."""
        folder = self.folder / catalog.DERIVED
        found = (verify.problem(folder / name, entry, self._log) for name, entry in sorted(self._derived.items()))
        return [problem for problem in found if problem is not None]

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of some rows, in the order asked; raises if a text does not match its key."""
        ids = [int(self.rows.arrays["chunk"][row]) for row in rows]
        found: dict[int, Passage] = {}
        for start in range(0, len(ids), _MANY):
            found.update(self._fetch(ids[start : start + _MANY]))
        if len(found) < len(set(ids)):
            raise catalog.damaged(self.folder.name, "a passage is missing")
        return [found[id_] for id_ in ids]

    def _fetch(self, ids: Sequence[int]) -> Iterator[tuple[int, Passage]]:
        cursor = self.connection.execute(
            "SELECT c.id, f.path, c.position, c.char_start, c.char_end, c.line_start, c.line_end, c.heading, f.date,"
            " f.date_from, f.mtime_ns, f.id, c.text_key, f.content_id"
            " FROM chunks AS c JOIN files AS f ON f.id = c.file_id"
            f" WHERE c.id IN ({','.join('?' * len(ids))}) ORDER BY f.content_id",
            list(ids),
        ).fetchall()
        content, text = None, ""
        for id_, path, position, start, end, first, last, heading, date, origin, mtime, file, key, content_id in cursor:
            if content_id != content:
                content, text = content_id, self._content(content_id)
            part = text[start:end]
            if text_key(part) != key:
                raise catalog.damaged(self.folder.name, f"a passage of {path} does not match its digest")
            yield id_, Passage(path, position, start, end, first, last, heading, part, date, origin, mtime, file)

    def _content(self, content_id: int) -> str:
        row = self.connection.execute("SELECT text, key FROM contents WHERE id = ?", (content_id,)).fetchone()
        if row is None:
            raise catalog.damaged(self.folder.name, "a text is missing")
        if text_key(str(row[0])) != row[1]:
            raise catalog.damaged(self.folder.name, "a text does not match its digest")
        return str(row[0])

    def files(self) -> Iterator[sqlite3.Row]:
        """The file rows of this generation by path, with how many chunks each has."""
        cursor = self.connection.cursor()
        cursor.row_factory = sqlite3.Row
        yield from cursor.execute(
            "SELECT *, (SELECT count(*) FROM chunks WHERE file_id = files.id) AS chunks FROM files"
            f" WHERE {shown(self.number)} ORDER BY path"
        )

    def places(self) -> Iterator[tuple[int, str, str | None, int]]:
        """(id, path, date, modified_ns) of every file of this generation."""
        yield from self.connection.execute(f"SELECT id, path, date, mtime_ns FROM files WHERE {shown(self.number)}")

    def named(self, numbers: Sequence[str]) -> Iterator[tuple[int, str]]:
        """(id, path) of every file of this generation whose path holds one of some digits."""
        holds = " OR ".join(["instr(path, ?)"] * len(numbers))
        yield from self.connection.execute(
            f"SELECT id, path FROM files WHERE {shown(self.number)} AND ({holds})", list(numbers)
        )

    def languages(self) -> dict[str, int]:
        """How many files with a text there are of each language."""
        rows = self.connection.execute(
            f"SELECT language, count(*) FROM files WHERE {shown(self.number)} AND content_id IS NOT NULL"
            " AND language IS NOT NULL GROUP BY language ORDER BY language"
        )
        return dict(rows.fetchall())

    def dated(self, first: str, last: str) -> list[int]:
        """Ids of the files whose own date lies between two ISO days, both included."""
        rows = self.connection.execute(
            f"SELECT id FROM files WHERE {shown(self.number)} AND date BETWEEN ? AND ?", (first, last)
        )
        return [int(row[0]) for row in rows]

    def generations(self) -> list[Published]:
        """Every generation that is on disk, oldest first."""
        rows = self.connection.execute(
            "SELECT number, published_at, files, chunks, derived FROM generations ORDER BY number"
        )
        return [Published(n, at, f, c, _size_bytes(json.loads(derived))) for n, at, f, c, derived in rows]

    def text_of(self, content_id: int) -> str:
        return self._content(content_id)

    def spans(self, file_id: int) -> list[tuple[int, int, int, int]]:
        """(char_start, char_end, line_start, line_end) of a file's chunks, in order."""
        rows = self.connection.execute(
            "SELECT char_start, char_end, line_start, line_end FROM chunks WHERE file_id = ? ORDER BY position",
            (file_id,),
        )
        return [tuple(row) for row in rows]

    def close(self) -> None:
        self.connection.close()


def _size_bytes(entries: dict[str, dict[str, Any]]) -> int:
    return sum(int(entry["size_bytes"]) for entry in entries.values())


def _resolve(connection: sqlite3.Connection) -> int:
    return catalog.held(connection) or catalog.current(connection)


@contextmanager
def opened(folder: Path, log: Path | None = None) -> Iterator[Snapshot | None]:
    """The current generation (or the one held by hand), its catalog only; None before the first publish."""
    connection = catalog.open_for_reading(folder, log)
    if connection is None:
        yield None
        return
    try:
        number = _resolve(connection)
        yield Snapshot(connection, folder, number, log) if number else None
    except sqlite3.DatabaseError as error:
        raise catalog.explained(folder, error) from error
    finally:
        connection.close()


@contextmanager
def searchable(folder: Path, log: Path | None = None, *, compute: bool = False) -> Iterator[Snapshot | None]:
    """The current generation with its derived files open, so that no later publish can take them away.

    Raises Damaged if one of them is not whole; if it was only retired meanwhile, the newer generation is opened.
    `compute`: what they hold is derived from the catalog, in memory.
    """
    for _ in range(_RETRIES):
        with opened(folder, log) as snapshot:
            try:
                if snapshot is not None:
                    snapshot.compute_derived() if compute else snapshot.open_derived()
            except Damaged:
                if snapshot is None or _newest(folder, log) == snapshot.number:
                    raise
                continue
            yield snapshot
            return
    raise Damaged("every generation was retired while it was being opened")


def _newest(folder: Path, log: Path | None) -> int:
    connection = catalog.open_for_reading(folder, log)
    if connection is None:
        return 0
    try:
        return _resolve(connection)
    finally:
        connection.close()


def no_index(names: Iterable[str]) -> WhereinError:
    listed = " ".join(names)
    return WhereinError(f"There is no index of {listed} yet: run `wherein ingest {listed}` first.", kind="no-index")
