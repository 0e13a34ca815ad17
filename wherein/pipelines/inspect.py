"""Look into the current generation of collections, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from sqlite3 import Connection, Row

from store import snapshot
from store.records import Problem
from store.snapshot import Snapshot
from tasks.globs import nfc
from wherein.workspace import Workspace


def generation(workspace: Workspace, name: str) -> AbstractContextManager[Snapshot | None]:
    """The generation of a collection that is read now."""
    return snapshot.opened(workspace.folder_of(name), workspace.log)


def damage(workspace: Workspace, chosen: Sequence[str] = ()) -> list[str]:
    """What is wrong with derived files, which this needs not, but the next search does."""
    with opened(workspace, chosen) as found:
        problems = [(name, problem) for name, opening in found for problem in opening.problems()]
    return [f"{name}: {problem}: the next search or ingest rebuilds it from the catalog" for name, problem in problems]


@contextmanager
def opened(workspace: Workspace, chosen: Sequence[str] = ()) -> Iterator[list[tuple[str, Snapshot]]]:
    """(name, generation) of each collection that has one; raises (exit 1) if none has."""
    names = workspace.names(chosen)
    with ExitStack() as stack:
        openings = [(name, stack.enter_context(generation(workspace, name))) for name in names]
        found = [(name, opening) for name, opening in openings if opening is not None]
        if not found:
            raise snapshot.no_index(names)
        yield found


def pending(connection: Connection) -> list[Problem]:
    """The files that the last run left to the next, by path."""
    rows = connection.execute("SELECT path, kind, reason FROM pending ORDER BY path")
    return [Problem(nfc(path), kind, reason) for path, kind, reason in rows]


def date_of(workspace: Workspace, name: str, row: Row) -> tuple[str | None, str | None]:
    """A file's day (ISO) and where it was read, the time of its last change where the settings allow that."""
    if row["date"] is not None:
        return row["date"], row["date_from"]
    if "mtime" in workspace.settings.collections[name].dates:
        return workspace.day_of(row["mtime_ns"]), "mtime"
    return None, None
