"""Go back to an older generation, and on to the newest again."""

from __future__ import annotations

from pathlib import Path

from store import catalog, disk, publish, writer
from store.errors import usage


def hold(folder: Path, name: str, number: int, wait_seconds: float = 10.0) -> None:
    """Let queries read a generation, and keep it, until it is released; raises (exit 2) if it is not on disk.

    Raises (exit 5) if another process writes.
    """
    with writer.opened(folder, name, wait_seconds) as index:
        kept = [row[0] for row in index.connection.execute("SELECT number FROM generations ORDER BY number")]
        if number not in kept:
            listed = ", ".join(map(str, kept))
            raise usage(f"Generation {number} of collection {name!r} is not on disk: choose of {listed}.", "generation")
        with disk.transaction(index.connection):
            catalog.put(index.connection, "use", number)


def release(folder: Path, name: str, keep: int, wait_seconds: float = 10.0) -> None:
    """Let queries read the newest generation again; what was kept for them alone goes."""
    with writer.opened(folder, name, wait_seconds) as index:
        with disk.transaction(index.connection):
            index.connection.execute("DELETE FROM meta WHERE key = 'use'")
            publish.retire(index.connection, keep)
        publish.settle(index.connection, folder)
