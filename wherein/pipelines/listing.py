"""Every file that a collection knows, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store import catalog
from store.errors import usage
from store.snapshot import Snapshot
from tasks.globs import nfc
from wherein.pipelines.inspect import date_of, opened, pending
from wherein.workspace import Workspace

STATES = ("indexed", "failed", "empty", "skipped", "pending")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file; `chunks` of its last good version, `reason` for all that are not simply indexed."""

    collection: str
    path: str
    state: str
    size_bytes: int | None
    date: str | None
    date_from: str | None
    chunks: int
    reason: str | None


def files(workspace: Workspace, chosen: Sequence[str] = (), state: str | None = None) -> list[FileEntry]:
    """By collection in the order of the settings, then by path; raises (exit 1) without an index."""
    if state is not None and state not in STATES:
        raise usage(f"--state {state!r} is not one of {', '.join(STATES)}.", kind="usage")
    with opened(workspace, chosen) as found:
        entries = [entry for name, opening in found for entry in _entries(workspace, name, opening)]
    return [entry for entry in entries if state in (None, entry.state)]


def ruled_out(workspace: Workspace, chosen: Sequence[str] = ()) -> list[str]:
    """How many files of each collection a rule left out at the last run: they are counted, not listed."""
    with opened(workspace, chosen) as found:
        counts = [(name, int(catalog.get(opening.connection, "excluded", 0))) for name, opening in found]
    return [f"{name}: {_not_listed(count)}" for name, count in counts if count]


def _not_listed(count: int) -> str:
    files = "1 more file is" if count == 1 else f"{count:,} more files are"
    return f"{files} left out by a rule (include, exclude, an ignore file, a dot before the name), so not listed"


def _entries(workspace: Workspace, name: str, opening: Snapshot) -> list[FileEntry]:
    waiting = {problem.path: problem.reason for problem in pending(opening.connection)}
    known = list(_known(workspace, name, opening, waiting))
    new = sorted(waiting.keys() - {entry.path for entry in known})
    known += [FileEntry(name, path, "pending", None, None, None, 0, waiting[path]) for path in new]
    return sorted(known, key=lambda entry: entry.path)


def _known(workspace: Workspace, name: str, opening: Snapshot, waiting: dict[str, str]) -> Iterator[FileEntry]:
    for row in opening.files():
        path = nfc(row["path"])
        state = "pending" if path in waiting else row["state"]
        date, source = date_of(workspace, name, row)
        reason = waiting.get(path, row["reason"])
        yield FileEntry(name, path, state, row["size_bytes"], date, source, row["chunks"], reason)
