"""Put the catalogs of a backup in the place of indexes: checked before anything is touched, and all or nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from store import archive, audit, catalog, digests, disk, publish, salvage, schema, seal, segments, sentences
from store.archive import Backup, Entry, Part, unfit
from store.errors import WhereinError, usage
from store.lock import writing
from store.snapshot import Snapshot

Check = Callable[[str, Snapshot], None]
"""Asks something of the index of a collection before it is put in place; raises WhereinError."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A collection that was restored, and the number its generation has here."""

    collection: str
    generation: int
    files: int
    chunks: int


def restore(
    path: Path, folders: Mapping[str, Path], check: Check, log: Path | None = None, *, replace: bool = False
) -> list[Restored]:
    """Restore some collections of a backup; each is the old one or the new one whole, at any instant.

    Raises WhereinError: exit 2 if one has an index already that is not to be replaced, exit 5 if one is being written.
    """
    with archive.opened(path) as backup, ExitStack() as stack:
        _refuse(folders, replace=replace)
        _expect_room(backup, folders)
        backup.check()
        ready = []
        for name, folder in folders.items():
            stack.enter_context(writing(folder, name))
            ready.append((name, folder, stack.enter_context(_extracted(backup, name, folder))))
        written = {name: _sentences(backup, name, folder) for name, folder, _ in ready}
        for name, folder, _ in ready:
            if written[name]:
                sentences.Sentences(folder).keep(written[name])
        return [_put_in_place(name, folder, incoming, check, log) for name, folder, incoming in ready]


def _sentences(backup: Backup, name: str, folder: Path) -> dict[bytes, str]:
    """What a language model wrote on the chunks of a collection, each found to be whole."""
    _, *parts = backup.parts(name)
    found: dict[bytes, str] = {}
    for part in parts:
        with _unpacked(backup, part, folder / f"{catalog.INCOMING}-sentences") as path:
            try:
                found |= sentences.read(path)
            except (sqlite3.DatabaseError, ValueError, TypeError) as error:
                raise unfit(backup.path, f"its sentences cannot be read ({error})") from error
    return found


def entries(path: Path) -> list[Entry]:
    """What a backup holds."""
    with archive.opened(path) as backup:
        return backup.entries


def _refuse(folders: Mapping[str, Path], *, replace: bool) -> None:
    there = [name for name, folder in folders.items() if (folder / catalog.NAME).exists()]
    if there and not replace:
        raise usage(
            f"There is an index of {', '.join(there)} already: restore over it with --replace, or choose others with"
            " --collection.",
            "exists",
        )


def _expect_room(backup: Backup, folders: Mapping[str, Path]) -> None:
    """Each catalog is there twice for a while, beside the files derived from it."""
    needed = 4 * sum(entry.size_bytes for entry in backup.entries if entry.collection in folders)
    for folder in folders.values():
        nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if shutil.disk_usage(nearest).free < needed:
            raise disk.full(folder)


@contextmanager
def _extracted(backup: Backup, name: str, folder: Path) -> Iterator[sqlite3.Connection]:
    """The catalog of a collection, in a file beside the index and found to be one of ours, every row of it."""
    with (
        _unpacked(backup, backup.parts(name)[0], folder / catalog.INCOMING) as path,
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
    ):
        _expect_ours(connection, backup.path)
        yield connection


@contextmanager
def _unpacked(backup: Backup, part: Part, path: Path) -> Iterator[Path]:
    """A part of a backup in a file, for as long as it is needed."""
    try:
        with disk.written_whole(path) as (file, _):
            backup.extract(part, file)
        yield path
    finally:
        for leftover in (path, path.with_name(path.name + "-journal")):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


def _expect_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Raise WhereinError unless the schema is exactly ours; it is looked at before any table is."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    digests.register(connection)
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(schema.MIGRATIONS):
            raise WhereinError(f"{path} was written by a newer version: upgrade wherein.", kind="version")
        if version < 1 or schema.described(connection) != schema.expected(version):
            raise unfit(path, "its catalog is not one of ours")
        schema.migrate(connection)
        damage = next(audit.findings(connection), None)
        if damage is None and not catalog.current(connection):
            damage = "no generation is in it"
    except catalog.UNREADABLE as error:
        raise unfit(path, "its catalog cannot be read") from error
    if damage is not None:
        raise unfit(path, damage)


def _put_in_place(name: str, folder: Path, incoming: sqlite3.Connection, check: Check, log: Path | None) -> Restored:
    """Derive what belongs to it, ask it something, and copy it over the catalog in one transaction."""
    live = _live(folder, log)
    try:
        sealed = seal.read(folder)
        newest = max(catalog.current(live), sealed.generation if sealed else 0)
        number = _published_after(incoming, folder, newest)
        snapshot = Snapshot(incoming, folder, number, None)
        snapshot.open_derived()
        check(name, snapshot)
        disk.copy_into(incoming, live)
        seal.opened(folder, number)
        publish.settle(live, folder)
    finally:
        live.close()
        seal.closed(folder)
    facts = incoming.execute("SELECT files, chunks FROM generations WHERE number = ?", (number,)).fetchone()
    return Restored(name, number, *facts)


def _live(folder: Path, log: Path | None) -> sqlite3.Connection:
    try:
        return catalog.open_for_writing(folder, log)
    except WhereinError as error:
        if error.kind not in ("damaged", "version"):
            raise
    salvage.put_away(folder)
    return catalog.open_for_writing(folder, log)


def _published_after(incoming: sqlite3.Connection, folder: Path, newest: int) -> int:
    """Publish what came in, as a generation after all there were, so that no number and no file is used twice."""
    current = catalog.current(incoming)
    row = incoming.execute("SELECT settings FROM generations WHERE number = ?", (current,)).fetchone()
    settings = dict(json.loads(row[0]))
    with disk.transaction(incoming):
        segments.loosen(incoming, segments.numbers(incoming))
        catalog.put(incoming, "current", max(newest, current))
    return publish.flip(incoming, folder / catalog.DERIVED, settings, keep=1)
