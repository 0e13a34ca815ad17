"""Derive a generation's files anew from the catalog, without calling a model."""

from __future__ import annotations

from pathlib import Path

from store import disk, publish, segments, writer
from store.errors import WhereinError


def repair(folder: Path, name: str, keep: int) -> int:
    """Publish the current content again with fresh derived files; returns the new generation's number.

    Raises (exit 5) if another process writes, (exit 1) if the folder cannot be written.
    """
    with writer.opened(folder, name, wait_seconds=10.0) as index:
        settings = index.settings()
        if settings is None:
            raise WhereinError(f"Collection {name!r} has nothing to repair: run `wherein ingest`.", kind="no-index")
        with disk.transaction(index.connection):
            segments.loosen(index.connection, segments.numbers(index.connection))
        return publish.publish(index.connection, folder, settings, keep)
