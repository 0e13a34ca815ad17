"""The catalog of a collection: the SQLite database that is the truth of its index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from store import digests, disk, reading, schema, seal, trust
from store.errors import BUSY, WhereinError
from store.schema import MIGRATIONS
from store.seal import Seal

NAME = "catalog.sqlite"
INCOMING = "restored.sqlite"
DERIVED = "derived"
_NO_ACCESS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged catalog raises; SQLite's own messages may hold bytes of it."""


def damaged(name: str, detail: str) -> WhereinError:
    return WhereinError(
        f"The catalog of collection {name!r} is damaged ({detail}): run `wherein ingest {name} --rebuild` to build it"
        " anew from the files, or restore a backup.",
        kind="damaged",
    )


def explained(folder: Path, error: Exception) -> WhereinError:
    """What an error of SQLite comes to: no space, a bad disk, no access, in use, else damage."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    path = folder / NAME
    if isinstance(error, sqlite3.Error) and (refused := disk.sqlite_refusal(error, path)):
        return refused
    if code in _NO_ACCESS:
        return WhereinError(f"Cannot open {path} ({error}): look at its permissions.", kind="disk")
    if code in _IN_USE:
        return WhereinError(
            f"The catalog of collection {folder.name!r} is in use by another program: try again later.",
            kind="busy",
            code=BUSY,
        )
    return damaged(folder.name, "it holds bytes that are no text" if isinstance(error, UnicodeError) else str(error))


def open_for_writing(folder: Path, log: Path | None = None, *, thorough: bool = False) -> sqlite3.Connection:
    """Open or create the catalog, checked and migrated; raises WhereinError if it is not a whole catalog of ours.

    `thorough`: it is read as a whole even if it is as its writer left it.
    """
    sealed = seal.read(folder)
    _exists(folder, sealed)
    connection = sqlite3.connect(folder / NAME, isolation_level=None, timeout=30, check_same_thread=False)
    try:
        digests.register(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -65536")
        if _version(connection, folder) == len(MIGRATIONS):
            with _doubts(connection, folder, sealed):
                if thorough:
                    trust.read_all(connection)
                else:
                    trust.check_for_writing(connection, folder, sealed, log)
        schema.migrate(connection)
        seal.opened(folder, current(connection))
    except UNREADABLE as error:
        connection.close()
        raise explained(folder, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _exists(folder: Path, sealed: Seal | None) -> bool:
    """Whether there is a catalog; raises WhereinError if there is none any more."""
    path = folder / NAME
    if path.exists() and path.stat().st_size:
        return True
    if any((folder / DERIVED).glob("*")) or (sealed is not None and sealed.generation):
        raise damaged(folder.name, f"{NAME} is {'empty' if path.exists() else 'missing'}")
    return False


def _version(connection: sqlite3.Connection, folder: Path) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise WhereinError(
            f"The index of collection {folder.name!r} was written by a newer version (schema {version}, known"
            f" {len(MIGRATIONS)}): upgrade wherein.",
            kind="version",
        )
    return version


def open_for_reading(folder: Path, log: Path | None = None) -> sqlite3.Connection | None:
    """Open the catalog to read one consistent state, believed or checked; None if there is none yet.

    `log`: the database that remembers what was checked.
    """
    sealed = seal.read(folder)
    if not _exists(folder, sealed):
        return None
    try:
        connection = reading.begun(folder / NAME)
    except UNREADABLE as error:
        raise explained(folder, error) from error
    try:
        version = _version(connection, folder)
        if version == len(MIGRATIONS):
            with _doubts(connection, folder, sealed):
                trust.check(connection, folder, sealed, log)
            return connection
        _refuse(connection, folder, version)
    except UNREADABLE as error:
        connection.close()
        raise explained(folder, error) from error
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _refuse(connection: sqlite3.Connection, folder: Path, version: int) -> None:
    """Raise WhereinError for any catalog but one whose first writer has not got far."""
    if version:
        raise WhereinError(
            f"The index of collection {folder.name!r} was written by an older version: run `wherein ingest"
            f" {folder.name}`, which brings it up to date without a model call.",
            kind="version",
        )
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables or any((folder / DERIVED).glob("*")):
        raise damaged(folder.name, "it holds no tables")


@contextmanager
def _doubts(connection: sqlite3.Connection, folder: Path, sealed: Seal | None) -> Iterator[None]:
    try:
        trust.check_newest(sealed, current(connection))
        yield
    except trust.Doubtful as doubt:
        raise damaged(folder.name, str(doubt)) from doubt


def get(connection: sqlite3.Connection, key: str, default: Any = None) -> Any:
    row = connection.execute(f"SELECT value, digest IS {digests.META.call} FROM meta WHERE key = ?", (key,)).fetchone()
    if row is not None and not row[1]:
        raise sqlite3.DatabaseError(f"entry {key!r} does not match its digest")
    return default if row is None else json.loads(row[0])


def put(connection: sqlite3.Connection, key: str, value: Any) -> None:
    text = json.dumps(value)
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (key, text, digests.row_digest(key, text)))


def held(connection: sqlite3.Connection) -> int | None:
    """The generation that queries are to read by a person's choice, instead of the newest."""
    number = get(connection, "use")
    return None if number is None else int(number)


def current(connection: sqlite3.Connection) -> int:
    """The newest published generation; 0 before the first."""
    return int(get(connection, "current", 0))
