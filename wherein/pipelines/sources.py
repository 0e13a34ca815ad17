"""Open the collections a query reads, repairing a damaged derived file where it can be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from store import repair, snapshot
from store.container import Damaged
from store.errors import WhereinError
from store.snapshot import Snapshot
from tasks.filters import Filters, apply
from tasks.models import EmbeddingConfig
from tasks.source import Source
from wherein.pipelines import models
from wherein.workspace import Workspace

_IN_THE_WAY = ("busy", "disk", "disk-full")
"""Kinds of errors after which the catalog can still be read."""


@contextmanager
def opened(workspace: Workspace, chosen: Sequence[str], notes: list[str]) -> Iterator[list[tuple[str, Snapshot]]]:
    """The current generation of each collection; raises (exit 1) if none has one."""
    names = workspace.names(chosen)
    with ExitStack() as stack:
        found = []
        for name in names:
            opening = _whole(workspace, name, notes, stack)
            if opening is not None:
                found.append((name, opening))
        missing = [name for name in names if name not in {n for n, _ in found}]
        if not found:
            raise snapshot.no_index(names)
        if missing:
            notes.append(f"not indexed yet, so not searched: {', '.join(missing)}; run `wherein ingest`")
        yield found


def _whole(workspace: Workspace, name: str, notes: list[str], stack: ExitStack) -> Snapshot | None:
    """A generation whose derived files were checked; if one is damaged, they are derived from the catalog again."""
    folder = workspace.folder_of(name)
    try:
        opening = stack.enter_context(snapshot.searchable(folder, workspace.log))
    except Damaged as damage:
        compute = not _repaired(workspace, name, str(damage), notes)
        opening = stack.enter_context(snapshot.searchable(folder, workspace.log, compute=compute))
    if opening is not None and opening.held:
        notes.append(f"{name}: generation {opening.number} is read until `wherein generations --use latest`")
    return opening


def _repaired(workspace: Workspace, name: str, damage: str, notes: list[str]) -> bool:
    """Whether the derived files could be written anew; a question does not wait for that."""
    try:
        repair.repair(workspace.folder_of(name), name, workspace.settings.index.keep_generations, workspace.log)
    except WhereinError as error:
        if error.kind not in _IN_THE_WAY:
            raise
        notes.append(f"{name}: {damage}: computed from the catalog for this question alone ({error.message})")
        return False
    notes.append(f"{name}: {damage}: it was rebuilt from the catalog, without calling a model")
    return True


def sources(workspace: Workspace, found: Sequence[tuple[str, Snapshot]], filters: Filters) -> list[Source]:
    """The sources with their rows filtered."""
    result = []
    for name, opening in found:
        collection = workspace.settings.collections[name]
        day_of = workspace.day_of if "mtime" in collection.dates else None
        result.append(apply(Source(name, opening), filters, day_of) if len(opening) else Source(name, opening))
    return result


def embedding_of(workspace: Workspace, recorded: dict[str, Any]) -> EmbeddingConfig:
    """The embedding model a generation was made with, whatever the settings say now."""
    return models.recorded_embedding(workspace, recorded)


def age_seconds(found: Sequence[tuple[str, Snapshot]]) -> float | None:
    """Seconds since the least recent refresh of the collections read."""
    times = [opening.refreshed_at for _, opening in found]
    return round(max(0.0, time.time() - min(times)), 3) if times else None
