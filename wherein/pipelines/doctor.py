"""Check that what a workspace needs is there and whole; nothing beyond this machine is called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from store import catalog, log, snapshot
from store.errors import FAILED, WhereinError
from store.examine import FORGET, PURGE, REBUILD, examine
from store.snapshot import Snapshot
from wherein.pipelines import requirements
from wherein.pipelines.model_list import ModelEntry, model_list
from wherein.workspace import Workspace

_PATIENCE_SECONDS = 2.0
OK, BROKEN, SKIPPED = "ok", "broken", "not checked"
_REMEDIES = {
    REBUILD: "`wherein ingest {name} --rebuild` makes it anew, without a model call for texts it remembers",
    FORGET: "`wherein ingest {name} --rebuild --forget` embeds every text again",
    PURGE: "nothing reads it now; `wherein purge --collection {name}` drops it",
}


@dataclass(frozen=True, slots=True)
class Check:
    """`state` is "ok", "broken" or "not checked"."""

    name: str
    state: str
    detail: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The JSON of `doctor`."""

    checks: list[Check]

    @property
    def code(self) -> int:
        return FAILED if any(check.state == BROKEN for check in self.checks) else 0


def doctor(workspace: Workspace, *, deep: bool = False) -> Diagnosis:
    """`deep`: every byte of the indexes is read, and their parts are compared with each other."""
    checks = [Check("settings", OK, str(workspace.folder / "wherein.toml"))]
    checks += _folders(workspace)
    for name in workspace.settings.collections:
        checks += _collection(workspace, name, deep=deep)
    if deep:
        checks.append(_log(workspace))
    checks += [Check(f"package {name}", BROKEN, why) for name, why in requirements.unmet()] or [
        Check("packages", OK, "versions are in the ranges that go together")
    ]
    checks += [_model(entry) for entry in model_list(workspace)]
    return Diagnosis(checks)


def _folders(workspace: Workspace) -> Iterator[Check]:
    for name, folder in (("state", workspace.state), ("results", workspace.results)):
        nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
        writable = nearest.is_dir() and os.access(nearest, os.W_OK)
        yield Check(f"{name} folder", OK if writable else BROKEN, f"{folder}{'' if writable else ' cannot be written'}")


def _collection(workspace: Workspace, name: str, *, deep: bool) -> Iterator[Check]:
    root = workspace.path(workspace.collection(name).path)
    listed = root.is_dir() and os.access(root, os.R_OK | os.X_OK)
    yield Check(f"root of {name}", OK if listed else BROKEN, f"{root}{'' if listed else ' cannot be listed'}")
    if deep:
        yield from _examined(workspace, name)
    else:
        yield _index(workspace, name)


def _examined(workspace: Workspace, name: str) -> Iterator[Check]:
    """A check a finding, or one if there is none."""
    title, folder = f"index of {name}", workspace.folder_of(name)
    seen = _index(workspace, name)
    if seen.state == SKIPPED:
        yield seen
        return
    found = list(examine(folder)) if (folder / catalog.NAME).exists() else []
    for finding in found:
        yield Check(title, BROKEN, f"{finding.problem}: {_REMEDIES[finding.remedy].format(name=name)}")
    if not found:
        yield seen if seen.state == BROKEN else Check(title, OK, f"{seen.detail}, and every byte of it agrees")


def _log(workspace: Workspace) -> Check:
    damage = log.damage(workspace.log)
    if damage is None:
        return Check("answer log", OK, str(workspace.log) if workspace.log.exists() else "none yet")
    way_out = "remove it to begin a new one; the answers in it are lost"
    return Check("answer log", BROKEN, f"{workspace.log} is damaged ({damage}): {way_out}")


def _index(workspace: Workspace, name: str) -> Check:
    title = f"index of {name}"
    try:
        with snapshot.opened(workspace.folder_of(name), workspace.log) as opening:
            if opening is None:
                return Check(title, SKIPPED, f"none yet: `wherein ingest {name}` makes it")
            damaged = _damage(opening)
            number = opening.number
    except WhereinError as error:
        return Check(title, BROKEN, error.message)
    if damaged:
        return Check(title, BROKEN, f"{', '.join(damaged)}: {_REMEDIES[REBUILD].format(name=name)}")
    return Check(title, OK, f"generation {number} is whole")


def _damage(opening: Snapshot) -> list[str]:
    found = [row[0] for row in opening.connection.execute("PRAGMA quick_check(3)")]
    return [*(f"the catalog is damaged ({text})" for text in found if text != "ok"), *opening.problems()]


def _model(entry: ModelEntry) -> Check:
    title = f"{entry.role} model"
    if entry.problem is not None:
        return Check(title, BROKEN, f"{entry.model}: {entry.problem}")
    if entry.kind != "server":
        return Check(title, OK, f"{entry.model} ({entry.where or 'built in'})")
    if entry.remote:
        return Check(title, SKIPPED, f"{entry.model} is remote ({entry.where}): not contacted")
    reached = answers(str(entry.where))
    said = "answers" if reached else "does not answer: start it, or name another model"
    return Check(title, OK if reached else BROKEN, f"{entry.model}: {entry.where} {said}")


def answers(address: str) -> bool:
    """Whether a server of this machine takes a connection; nothing is asked of it."""
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", port), timeout=_PATIENCE_SECONDS):
            return True
    except OSError:
        return False
