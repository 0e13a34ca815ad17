"""What each collection holds and how old it is, from what is stored: nothing is scanned."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from store import catalog, lock, seal
from store.errors import FAILED, PARTIAL, WhereinError
from store.purge import size_bytes
from store.records import Problem
from store.snapshot import Snapshot
from tasks.globs import nfc
from tasks.models import embedding_reads
from wherein.pipelines import inspect
from wherein.pipelines.inspect import pending
from wherein.pipelines.shape import differing, shape_of
from wherein.workspace import Workspace

UNREADABLE = ("damaged", "version", "disk", "busy")
"""Kinds of errors that say why one index cannot be read."""


@dataclass(slots=True)
class CollectionStatus:
    """One collection; `generation` is None before the first ingest, `error` says why it cannot be read.

    `held`: the generation stays by a person's choice; `damaged`: derived files that the next search rebuilds.
    `unread_languages`: those that the embedding model is known not to read.
    """

    name: str
    root: str
    generation: int | None = None
    newest: int | None = None
    held: bool = False
    refreshed_at: str | None = None
    age_seconds: float | None = None
    files: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("indexed", "failed", "empty", "skipped", "pending"), 0)
    )
    chunks: int = 0
    bytes: int = 0
    settings: dict[str, Any] = field(default_factory=lambda: {"in_force": {}, "differing": {}})
    languages: dict[str, int] = field(default_factory=dict)
    unread_languages: list[str] = field(default_factory=list)
    writing: bool = False
    interrupted_run: dict[str, Any] | None = None
    problems: list[Problem] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The JSON of `status`."""

    collections: list[CollectionStatus]
    prefect: dict[str, Any]

    @property
    def code(self) -> int:
        broken = [entry.error is not None for entry in self.collections]
        return FAILED if all(broken) else PARTIAL if any(broken) else 0


def status(workspace: Workspace, chosen: Sequence[str] = ()) -> Status:
    """Every chosen collection, indexed or not; one that is damaged does not hide the others."""
    entries = [_collection(workspace, name) for name in workspace.names(chosen)]
    return Status(entries, {"version": _installed("prefect"), "record": workspace.settings.prefect.record})


def _collection(workspace: Workspace, name: str) -> CollectionStatus:
    folder = workspace.folder_of(name)
    entry = CollectionStatus(name, str(workspace.path(workspace.collection(name).path)), bytes=size_bytes(folder))
    try:
        with inspect.generation(workspace, name) as opening:
            if opening is not None:
                _fill(workspace, entry, opening)
        _run_state(workspace, folder, entry)
    except WhereinError as error:
        if error.kind not in UNREADABLE:
            raise
        entry.error = error.message
    return entry


def _fill(workspace: Workspace, entry: CollectionStatus, opening: Snapshot) -> None:
    refreshed = opening.refreshed_at
    entry.generation = opening.number
    entry.newest = catalog.current(opening.connection)
    entry.held = opening.held
    entry.damaged = opening.problems()
    entry.refreshed_at = datetime.fromtimestamp(refreshed, UTC).astimezone(workspace.zone).isoformat(timespec="seconds")
    entry.age_seconds = round(max(0.0, time.time() - refreshed), 3)
    _count(entry, opening)
    entry.settings = {"in_force": opening.settings, "differing": _differing(workspace, entry.name, opening)}


def _count(entry: CollectionStatus, opening: Snapshot) -> None:
    rows = list(opening.files())
    waiting = pending(opening.connection)
    states = Counter(row["state"] for row in rows)
    states["skipped"] += int(catalog.get(opening.connection, "excluded", 0))
    entry.files = {state: states[state] for state in entry.files}
    entry.chunks = sum(row["chunks"] for row in rows)
    languages = Counter(row["language"] for row in rows if row["chunks"] and row["language"])
    model = str(opening.settings.get("embedding", {}).get("model", ""))
    entry.languages = dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))
    left_out = [r for r in rows if r["state"] in ("failed", "skipped")]
    entry.unread_languages = [name for name in entry.languages if not embedding_reads(model, name)]
    found = [Problem(nfc(r["path"]), r["kind"] or r["state"], r["reason"] or "") for r in left_out]
    entry.problems = sorted([*found, *waiting], key=lambda problem: (problem.path, problem.kind))


def _differing(workspace: Workspace, name: str, opening: Snapshot) -> dict[str, Any]:
    """What the settings would now make otherwise; a model that is not here is a difference too."""
    try:
        return differing(opening.settings, shape_of(workspace, name))
    except WhereinError as error:
        recorded = opening.settings.get("embedding")
        return {"embedding": {"index": recorded, "settings": None, "error": error.message}}


def _run_state(workspace: Workspace, folder: Path, entry: CollectionStatus) -> None:
    """A run that is going on now, or that began and did not end."""
    connection = catalog.open_for_reading(folder, workspace.log)
    if connection is None:
        return
    try:
        run = catalog.get(connection, "run")
        entry.files["pending"] = len(pending(connection))
    finally:
        connection.close()
    # The lock is tried only where a run is recorded: it must never be in the way of a writer that starts.
    entry.writing = run is not None and seal.alive(int(run["pid"])) and lock.held(folder)
    entry.interrupted_run = None if entry.writing else run


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
