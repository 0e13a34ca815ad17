"""Whether a catalog may be believed: as its writer left it, or checked row by row since."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from store import audit, lock, seal
from store.seal import Seal


class Doubtful(Exception):
    """What is wrong with a catalog, in a few words."""


def check(
    connection: sqlite3.Connection,
    folder: Path,
    sealed: Seal | None,
    generation: int,
    log: Path | None = None,
    *,
    writing: bool = False,
) -> None:
    """Pass if nobody but a writer touched the catalog, else read all of it once; raises Doubtful.

    `sealed`: the seal as it was before the catalog was opened, `generation`: the newest in the catalog;
    `log`: the database that remembers what was checked, by stat; `writing`: the caller holds the write lock.
    """
    if sealed is not None and generation < sealed.generation:
        raise Doubtful(f"generation {sealed.generation} is lost: the write-ahead log is cut, altered or missing")
    if _as_left(folder, sealed) or (not writing and _written_now(folder)) or _as_left(folder, seal.read(folder)):
        return
    from store.log import digest_seen, remember_digest

    mark = seal.mark(folder)
    if log is not None and digest_seen(log, str(folder), mark):
        return
    found = next(audit.findings(connection), None)
    if found is not None:
        raise Doubtful(found)
    if log is not None:
        remember_digest(log, str(folder), mark)


def _as_left(folder: Path, sealed: Seal | None) -> bool:
    return sealed is not None and sealed.mark is not None and sealed.mark == seal.mark(folder)


def _written_now(folder: Path) -> bool:
    """Whether a writer is at work; the lock is tried only where its process lives, so as to hinder no other."""
    sealed = seal.read(folder)
    return sealed is not None and sealed.writer is not None and seal.alive(sealed.writer) and lock.held(folder)
