"""Back up collections into a file, and restore them from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from store import backup as storing
from store import restore as restoring
from store import snapshot
from store.archive import Entry
from store.container import Damaged
from store.errors import WhereinError, usage
from store.restore import Restored
from store.snapshot import Snapshot
from wherein.pipelines.inspect import opened
from wherein.workspace import Workspace

_NEAR = 0.999
"""Least cosine of a vector with itself."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """The JSON of `backup`."""

    file: str
    size_bytes: int
    collections: list[Entry]
    notes: list[str]


def backup(workspace: Workspace, path: Path, chosen: Sequence[str] = (), *, replace: bool = False) -> BackupReport:
    """The newest generation of each chosen collection that is indexed; raises (exit 1) without an index."""
    with opened(workspace, chosen) as found:
        held = [name for name, opening in found if opening.held]
        folders = {name: workspace.folder_of(name) for name, _ in found}
    left_out = [name for name in workspace.names(chosen) if name not in folders]
    notes = [f"{name} is not indexed, and is not in the backup" for name in left_out]
    notes += [f"{name}: the backup holds the newest generation, not the one that is held" for name in held]
    entries = storing.backup(path, folders, workspace.log, replace=replace)
    return BackupReport(str(path), path.stat().st_size, entries, notes)


def restore(workspace: Workspace, path: Path, chosen: Sequence[str] = (), *, replace: bool = False) -> list[Restored]:
    """Put collections of a backup in place, and ask each something; raises WhereinError."""
    there = [entry.collection for entry in restoring.entries(path)]
    for name in chosen:
        if name not in there:
            raise usage(f"Collection {name!r} is not in {path}: it holds {', '.join(there) or 'none'}.", "collection")
    names = list(dict.fromkeys(chosen)) or there
    for name in names:
        if name not in workspace.settings.collections:
            raise usage(
                f"Collection {name!r} of {path} is not in wherein.toml: add [collections.{name}], or choose others with"
                " --collection.",
                "collection",
            )
    done = restoring.restore(
        path, {name: workspace.folder_of(name) for name in names}, _ask, workspace.log, replace=replace
    )
    for one in done:
        _ask_in_place(workspace, one.collection)
    return done


def _ask_in_place(workspace: Workspace, name: str) -> None:
    try:
        with snapshot.searchable(workspace.folder_of(name), workspace.log) as opening:
            if opening is not None:
                _ask(name, opening)
    except Damaged as damage:
        raise _silent(name, str(damage)) from damage


def _ask(name: str, opening: Snapshot) -> None:
    """A passage must be found by its own vector and by its rarest term, without a model."""
    from tasks.source import Source
    from tasks.vector import nearest

    if not len(opening):
        return
    source, row = Source(name, opening), len(opening) // 2
    (passage,) = source.passages([row])
    table = opening.rows.arrays
    vector = opening.segments[int(table["segment"][row])][int(table["row"][row])]
    (found,) = nearest([source], {name: vector}, 1)
    if found.score < _NEAR:
        raise _silent(name, f"{passage.path} is not found by its own vector")
    term = opening.lexicon.rarest_term(row)
    if term is not None and not opening.lexicon.scores([term])[row] > 0:
        raise _silent(name, f"{passage.path} is not found by its own words")


def _silent(name: str, detail: str) -> WhereinError:
    return WhereinError(f"Collection {name!r} does not answer as restored ({detail}).", kind="backup")
