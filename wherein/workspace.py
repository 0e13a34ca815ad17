"""A workspace: the folder that holds `wherein.toml`, and the folders its settings name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from store.errors import usage
from wherein import settings
from wherein.schema import Collection, Settings


@dataclass(frozen=True)
class Workspace:
    """Where things are and what is set; `Workspace.find()` is how to get one."""

    folder: Path
    settings: Settings
    overrides: tuple[str, ...] = ()

    @classmethod
    def find(cls, start: Path | str | None = None, overrides: Sequence[str] = ()) -> Workspace:
        """The workspace at or above `start` (else WHEREIN_WORKSPACE, else the current folder)."""
        named = start if start is not None else os.environ.get("WHEREIN_WORKSPACE") or None
        origin = _expanded(named) if named is not None else _here()
        candidates = [origin] if named is not None else [origin, *origin.absolute().parents]
        for folder in candidates:
            if _is_there(folder / settings.FILE):
                file = folder.absolute() / settings.FILE
                return cls(folder.absolute(), settings.load(file, overrides=overrides), tuple(overrides))
        raise usage(
            f"No wherein.toml in {origin}{'' if named is not None else ' or above it'}: run `wherein init` first.",
            kind="no-workspace",
        )

    def path(self, text: str) -> Path:
        """A path of the settings: absolute, from the home folder, or relative to the workspace."""
        return Path(os.path.normpath(self.folder / _expanded(text)))

    @cached_property
    def state(self) -> Path:
        return self.path(self.settings.workspace.state)

    @cached_property
    def results(self) -> Path:
        return self.path(self.settings.workspace.results)

    def run_folder(self, kind: str, moment: datetime, digest: str) -> Path:
        """Where a run keeps what it made: RESULTS/<kind>/<time in the workspace's zone>-<digest>."""
        return self.results / kind / f"{moment.astimezone(self.zone).strftime('%Y%m%dT%H%M%S')}-{digest[:8]}"

    @cached_property
    def log(self) -> Path:
        return self.state / "log.sqlite"

    @cached_property
    def zone(self) -> tzinfo | None:
        """The zone that file times are shown in; None is the machine's own."""
        name = self.settings.workspace.timezone
        return None if name == "local" else ZoneInfo(name)

    def day_of(self, time_ns: int) -> str:
        """The calendar day (ISO) of a file time, in the workspace's zone."""
        return datetime.fromtimestamp(time_ns / 1e9, self.zone).date().isoformat()

    def folder_of(self, name: str) -> Path:
        return self.state / "collections" / name

    def collection(self, name: str) -> Collection:
        try:
            return self.settings.collections[name]
        except KeyError:
            known = ", ".join(sorted(self.settings.collections)) or "none"
            raise usage(f"No collection is called {name!r}: known are {known}.", kind="collection") from None

    def names(self, chosen: Sequence[str] = ()) -> list[str]:
        """The chosen collections, else all, in the order of the settings."""
        for name in chosen:
            self.collection(name)
        names = list(dict.fromkeys(chosen)) or list(self.settings.collections)
        if not names:
            raise usage("No collection is set: add a [collections.NAME] with a path to wherein.toml.")
        return names


def _expanded(path: Path | str) -> Path:
    """With `~` as the home folder it stands for."""
    if "\0" in str(path):
        raise usage(f"The path {str(path)!r} holds a NUL character, which no path can: correct it.")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise usage(f"The path {str(path)!r} names a home folder that is not known: write it out.") from None


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise usage(
            f"The current folder cannot be told ({error.strerror}): go to another, or name one with --workspace.",
            kind="no-workspace",
        ) from error


def _is_there(file: Path) -> bool:
    """Whether the settings can be looked for in this file; raises if something else has its name."""
    try:
        if file.is_file():
            return True
        if not os.path.lexists(file):
            return False
    except OSError as error:
        raise usage(f"Cannot look for {file}: {error.strerror}.", kind="no-workspace") from error
    raise usage(f"{file} is not a file: move it away, and run `wherein init`.", kind="no-workspace")
