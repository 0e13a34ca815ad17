"""Whether a catalog may be believed: as its writer left it, or read as a whole since."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from store import audit, lock, seal
from store.seal import Seal


class Doubtful(Exception):
    """What is wrong with a catalog, in a few words."""


def check(connection: sqlite3.Connection, folder: Path, sealed: Seal | None, log: Path | None) -> None:
    """Pass if nobody but a writer touched the catalog, else read all of it once; raises Doubtful.

    `sealed`: the seal as it was before the catalog was opened; `log`: the database that remembers what was read,
    by stat.
    """
    if _as_left(folder, sealed) or _written_now(folder) or _as_left(folder, seal.read(folder)):
        return
    check_for_writing(connection, folder, None, log)


def check_for_writing(connection: sqlite3.Connection, folder: Path, sealed: Seal | None, log: Path | None) -> None:
    """The same for the one who holds the write lock."""
    from store.log import digest_seen, remember_digest

    mark = seal.mark(folder)
    if _as_left(folder, sealed) or (log is not None and digest_seen(log, str(folder), mark)):
        return
    read_all(connection)
    if log is not None:
        remember_digest(log, str(folder), mark)


def read_all(connection: sqlite3.Connection) -> None:
    """Read everything in the catalog; raises Doubtful."""
    found = next(audit.findings(connection), None)
    if found is not None:
        raise Doubtful(found)


def check_newest(sealed: Seal | None, generation: int) -> None:
    """Raise Doubtful if the catalog lacks a generation that its writer published."""
    if sealed is not None and generation < sealed.generation:
        raise Doubtful(f"generation {sealed.generation} is lost: the write-ahead log is cut, altered or missing")


def _as_left(folder: Path, sealed: Seal | None) -> bool:
    return sealed is not None and sealed.mark is not None and sealed.mark == seal.mark(folder)


def _written_now(folder: Path) -> bool:
    """Whether a writer is at work; the lock is tried only where its process lives, so as to hinder no other."""
    sealed = seal.read(folder)
    return sealed is not None and sealed.writer is not None and seal.alive(sealed.writer) and lock.held(folder)
