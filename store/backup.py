"""Back up the catalogs of collections into one verified file, also while a writer works."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from store import archive, audit, catalog, digests, disk, files, sentences
from store.archive import Entry
from store.errors import WhereinError, usage


def backup(path: Path, folders: Mapping[str, Path], log: Path | None = None, *, replace: bool = False) -> list[Entry]:
    """Write the newest generation of each collection, its texts and all its embeddings, to `path`.

    Raises WhereinError (exit 2) if there is such a file already and it is not to be replaced.
    """
    _refuse(path, replace=replace)
    entries: list[Entry] = []
    try:
        with tempfile.TemporaryDirectory(prefix=".wherein-backup-", dir=path.absolute().parent) as place:
            made: dict[str, list[Path]] = {}
            for number, (name, folder) in enumerate(folders.items()):
                target = Path(place) / str(number)
                target.mkdir()
                entries.append(_snapshot(name, folder, target, log))
                made[name] = [target / part for part in (catalog.NAME, sentences.NAME) if (target / part).exists()]
            archive.write(path, datetime.now(UTC).isoformat(timespec="seconds"), entries, made)
    except OSError as error:
        raise disk.explained(error, path) from error
    return entries


def _refuse(path: Path, *, replace: bool) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise usage(f"{path} is not a place for a file: name one in a folder that there is.", "backup")
    if path.exists() and not replace:
        raise usage(f"{path} is there already: choose another name, or replace it with --replace.", "exists")


def _snapshot(name: str, folder: Path, target: Path, log: Path | None) -> Entry:
    source = catalog.open_for_reading(folder, log)
    if source is None:
        raise WhereinError(f"Collection {name!r} is not indexed: there is nothing to back up.", kind="no-index")
    try:
        whole = target / catalog.NAME
        with closing(source), closing(sqlite3.connect(whole, isolation_level=None)) as copy:
            disk.copy_into(source, copy)
            digests.register(copy)
            facts = _trimmed(copy, name)
            damage = next(audit.findings(copy), None)
            written = sentences.copied(copy, folder, target)
    except sqlite3.DatabaseError as error:
        raise catalog.explained(folder, error) from error
    if damage is not None:
        raise catalog.damaged(name, damage)
    return Entry(name, *facts, *_facts(whole), *(_facts(written) if written is not None else ()))


def _facts(file: Path) -> tuple[int, str]:
    return file.stat().st_size, disk.digest_file(file)


def _trimmed(connection: sqlite3.Connection, name: str) -> tuple[int, int, int]:
    """Leave the newest generation alone in the copy; its number, files and chunks."""
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = OFF")
    number = catalog.current(connection)
    if not number:
        raise WhereinError(f"Collection {name!r} is not indexed: there is nothing to back up.", kind="no-index")
    with disk.transaction(connection):
        files.discard_staged(connection, number)
        connection.execute("DELETE FROM generations WHERE number <> ?", (number,))
        files.forget_unshown(connection, [number])
        connection.execute("DELETE FROM pending WHERE kind = 'interrupted'")
        connection.execute("DELETE FROM meta WHERE key IN ('run', 'use')")
    disk.vacuum(connection)
    counts = connection.execute("SELECT files, chunks FROM generations").fetchone()
    return number, int(counts[0]), int(counts[1])
