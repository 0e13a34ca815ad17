"""The generations of a collection that are still on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from store.snapshot import Snapshot
from wherein.pipelines.inspect import opened
from wherein.workspace import Workspace


@dataclass(frozen=True, slots=True)
class GenerationEntry:
    """One published state; `in_use` is the one that queries read."""

    collection: str
    number: int
    published_at: str
    files: int
    chunks: int
    in_use: bool


def generations(workspace: Workspace, chosen: Sequence[str] = ()) -> list[GenerationEntry]:
    """By collection, oldest first; raises (exit 1) without an index."""
    with opened(workspace, chosen) as found:
        return [entry for name, opening in found for entry in _of(workspace, name, opening)]


def _of(workspace: Workspace, name: str, opening: Snapshot) -> list[GenerationEntry]:
    rows = opening.connection.execute("SELECT number, published_at, files, chunks FROM generations ORDER BY number")
    return [
        GenerationEntry(name, number, _iso(workspace, published_at), files, chunks, number == opening.number)
        for number, published_at, files, chunks in rows
    ]


def _iso(workspace: Workspace, seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone(workspace.zone).isoformat(timespec="seconds")
