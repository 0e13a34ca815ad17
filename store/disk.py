"""Every write, sync, rename, removal and commit: the one place where a fault can strike, or be injected."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from store.errors import WhereinError

Fault = Callable[[str], None]
_NO_ROOM = frozenset({
    sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMMAP,
})  # fmt: skip
"""What SQLite says of a disk that is full when it does not say so."""
_fault: Fault | None = None


def inject(fault: Fault | None) -> None:
    """Call `fault("before write")`, `fault("after commit")` … around each operation; for tests."""
    global _fault
    _fault = fault


@contextmanager
def _step(operation: str, path: Path | str) -> Iterator[None]:
    try:
        if _fault is not None:
            _fault(f"before {operation}")
        yield
        if _fault is not None:
            _fault(f"after {operation}")
    except OSError as error:
        raise explained(error, path) from error
    except sqlite3.OperationalError as error:
        if refused := sqlite_refusal(error, path):
            raise refused from error
        raise


def full(path: Path | str) -> WhereinError:
    return WhereinError(
        f"No space left to write {path}: free some space, then run the command again.", kind="disk-full"
    )


def explained(error: OSError, path: Path | str) -> WhereinError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return full(path)
    return WhereinError(f"Cannot write {path}: {error.strerror}.", kind="disk")


def sqlite_refusal(error: sqlite3.Error, path: Path | str) -> WhereinError | None:
    """What a refusal of the file system comes to, as SQLite tells it; None for any other error.

    A read that ends too early is none: the file is shorter than it should be.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code & 0xFF == sqlite3.SQLITE_FULL:
        return full(path)
    if code & 0xFF != sqlite3.SQLITE_IOERR or code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return None
    if code in _NO_ROOM:
        return full(path)
    return WhereinError(f"Cannot use {path} ({error}): look at the disk.", kind="disk")


@dataclass(frozen=True, slots=True)
class Written:
    """A file as it was left on disk, with its whole-file digest (sha256, hex)."""

    size_bytes: int
    digest: str
    mtime_ns: int
    ctime_ns: int
    inode: int


def make_folder(path: Path) -> None:
    with _step("mkdir", path):
        path.mkdir(parents=True, exist_ok=True)


def write_file(path: Path, parts: Iterable[bytes | memoryview]) -> Written:
    """Write beside, sync, rename, sync the folder: the file is there whole or not at all."""
    temporary = path.with_name(path.name + ".part")
    try:
        digest = _filled(temporary, path, parts)
        with _step("rename", path):
            temporary.replace(path)
    except WhereinError:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return written(path, digest)


def _filled(temporary: Path, path: Path, parts: Iterable[bytes | memoryview]) -> str:
    """Write and sync what is to become a file; its SHA-256."""
    digest = hashlib.sha256()
    with _step("write", path), temporary.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def write_note(path: Path, text: str) -> None:
    """Write a small file that may be lost or torn by a crash, and is checked when it is read."""
    with _step("note", path):
        path.write_text(text, encoding="ascii")


@contextmanager
def written_whole(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A file for its owner's eyes to fill, and where it is meanwhile; it gets its name when the block ends well."""
    temporary = path.with_name(path.name + ".part")
    try:
        with _step("write", path), os.fdopen(_private(temporary), "w+b") as file:
            yield file, temporary
            file.flush()
            os.fsync(file.fileno())
        replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _private(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)


def copy_into(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Make a database the copy of another, in one transaction of its own."""
    with _step("copy", "the catalog"):
        source.backup(target)


def replace(path: Path, target: Path) -> None:
    """Put a file in the place of another, in one step."""
    with _step("rename", target):
        path.replace(target)
    sync_folder(target.parent)


def written(path: Path, digest: str) -> Written:
    stat = path.stat()
    return Written(stat.st_size, digest, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def sync_folder(path: Path) -> None:
    with _step("sync", path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove(path: Path) -> None:
    with _step("remove", path):
        path.unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    with _step("remove", path):
        if path.exists():
            shutil.rmtree(path)


def begin(connection: sqlite3.Connection) -> None:
    with _step("begin", "the catalog"):
        connection.execute("BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection) -> None:
    with _step("commit", "the catalog"):
        connection.execute("COMMIT")


def checkpoint(connection: sqlite3.Connection, wait_seconds: float) -> bool:
    """Move the write-ahead log into the database file and empty it; False if a reader was in the way all the while."""
    with _step("checkpoint", "the catalog"):
        before = connection.execute("PRAGMA busy_timeout").fetchone()[0]
        connection.execute(f"PRAGMA busy_timeout = {round(wait_seconds * 1000)}")
        try:
            return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            connection.execute(f"PRAGMA busy_timeout = {before}")


def vacuum(connection: sqlite3.Connection) -> None:
    with _step("vacuum", "the catalog"):
        connection.execute("VACUUM")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; what is inside runs under the catalog's write lock."""
    begin(connection)
    try:
        with _step("statement", "the catalog"):
            yield
        commit(connection)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def digest_file(path: Path) -> str:
    """sha256 (hex) of a whole file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
