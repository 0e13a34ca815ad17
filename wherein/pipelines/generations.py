"""The generations of a collection that are still on disk, and which of them is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from store import hold
from store.errors import usage
from store.snapshot import Snapshot
from wherein.pipelines.inspect import opened
from wherein.workspace import Workspace

LATEST = "latest"


@dataclass(frozen=True, slots=True)
class GenerationEntry:
    """One published state; `in_use` is the one that queries read, `held` if that is by a person's choice.

    `size_bytes` of its own files; some may belong to its neighbours too.
    """

    collection: str
    number: int
    published_at: str
    files: int
    chunks: int
    size_bytes: int
    in_use: bool
    held: bool


def generations(workspace: Workspace, chosen: Sequence[str] = ()) -> list[GenerationEntry]:
    """By collection, oldest first; raises (exit 1) without an index."""
    with opened(workspace, chosen) as found:
        return [entry for name, opening in found for entry in _of(workspace, name, opening)]


def use(workspace: Workspace, wanted: str, chosen: Sequence[str] = ()) -> list[GenerationEntry]:
    """Let queries read generation `wanted`, or the "latest" again; raises (exit 2) for one that there is not."""
    with opened(workspace, chosen) as found:
        names = [name for name, _ in found]
    if wanted == LATEST:
        for name in names:
            hold.release(workspace.folder_of(name), name, workspace.settings.index.keep_generations)
        return generations(workspace, names)
    if not wanted.isdecimal():
        raise usage(f"--use {wanted!r} is neither the number of a generation nor `latest`.", "generation")
    if len(names) > 1:
        raise usage(
            f"--use {wanted} is for one collection: choose with --collection of {', '.join(names)}.", "generation"
        )
    hold.hold(workspace.folder_of(names[0]), names[0], int(wanted))
    return generations(workspace, names)


def _of(workspace: Workspace, name: str, opening: Snapshot) -> list[GenerationEntry]:
    return [
        GenerationEntry(
            name,
            one.number,
            _iso(workspace, one.published_at),
            one.files,
            one.chunks,
            one.size_bytes,
            one.number == opening.number,
            one.number == opening.number and opening.held,
        )
        for one in opening.generations()
    ]


def _iso(workspace: Workspace, seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone(workspace.zone).isoformat(timespec="seconds")
