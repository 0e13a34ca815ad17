"""Open the collections a query reads, repairing a damaged derived file where it can be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from store import catalog, repair, snapshot
from store.container import Damaged
from store.snapshot import Snapshot
from tasks.filters import Filters, apply
from tasks.models import EmbeddingConfig
from tasks.source import Source
from wherein.pipelines import models
from wherein.workspace import Workspace


@contextmanager
def opened(workspace: Workspace, chosen: Sequence[str], notes: list[str]) -> Iterator[list[tuple[str, Snapshot]]]:
    """The current generation of each collection; raises (exit 1) if none has one."""
    names = workspace.names(chosen)
    with ExitStack() as stack:
        found = []
        for name in names:
            opening = stack.enter_context(_whole(workspace, name, notes))
            if opening is not None:
                found.append((name, opening))
        missing = [name for name in names if name not in {n for n, _ in found}]
        if not found:
            raise snapshot.no_index(names)
        if missing:
            notes.append(f"not indexed yet, so not searched: {', '.join(missing)}; run `wherein ingest`")
        yield found


@contextmanager
def _whole(workspace: Workspace, name: str, notes: list[str]) -> Iterator[Snapshot | None]:
    """A generation whose derived files were checked; a damaged one is derived anew from the catalog first."""
    folder = workspace.folder_of(name)
    for attempt in (1, 2):
        try:
            with snapshot.searchable(folder, workspace.log) as opening:
                yield opening
                return
        except Damaged as damage:
            if attempt == 2:
                raise catalog.damaged(name, str(damage)) from damage
            problem = damage
        repair.repair(folder, name, workspace.settings.index.keep_generations)
        notes.append(f"{problem}: it was rebuilt from the catalog, without calling a model")


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
    times = [float(catalog.get(s.connection, "refreshed_at", s.published_at)) for _, s in found]
    return round(max(0.0, time.time() - min(times)), 3) if times else None
