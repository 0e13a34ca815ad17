"""Derive a generation's files anew from the catalog, without calling a model."""

from __future__ import annotations

import json
from pathlib import Path

from store import catalog, publish, verify, writer
from store.errors import WhereinError
from store.writer import Writer


def repair(folder: Path, name: str, keep: int, log: Path | None = None) -> list[str]:
    """Write what is damaged of the derived files that queries need; what was wrong, in words.

    Raises (exit 5) if another process writes, (exit 1) if the folder cannot be written.
    """
    with writer.opened(folder, name, log=log) as index:
        settings = index.settings()
        if settings is None:
            raise WhereinError(f"Collection {name!r} has nothing to repair: run `wherein ingest`.", kind="no-index")
        problems = mend(index, log)
        if index.dirty:
            index.publish(settings, keep)
        return problems


def mend(index: Writer, log: Path | None = None) -> list[str]:
    """Derive a damaged held generation again; if the current one is damaged, let the next publish write it anew."""
    problems = damaged(index, index.current, log)
    found = [problem for problem in mend_held(index, log) if problem not in problems]
    if problems:
        index.loosen()
    return [*found, *problems]


def damaged(index: Writer, number: int, log: Path | None = None) -> list[str]:
    """What is wrong with the derived files of a generation, looked at by stat, digested on any mismatch."""
    row = index.connection.execute("SELECT derived FROM generations WHERE number = ?", (number,)).fetchone()
    if row is None:
        return []
    place = index.folder / catalog.DERIVED
    found = (verify.problem(place / name, entry, log) for name, entry in sorted(json.loads(row[0]).items()))
    return [problem for problem in found if problem is not None]


def mend_held(index: Writer, log: Path | None = None) -> list[str]:
    """Derive the generation that is held by hand again if a file of it is damaged."""
    held = catalog.held(index.connection)
    if held is None:
        return []
    problems = damaged(index, held, log)
    if problems:
        publish.derive_again(index.connection, index.folder, held)
        publish.sweep(index.folder / catalog.DERIVED, set(publish.derived_entries(index.connection)))
    return problems
