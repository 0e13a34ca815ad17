"""What a command writes among the files of a collection must not become part of its index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from store import disk
from wherein.workspace import Workspace

FILE = ".whereinignore"


def keep_out(workspace: Workspace, folder: Path, patterns: Sequence[str]) -> None:
    """Have ingests pass over files of a folder, by a `.whereinignore` in it, where it lies in a collection.

    One that is there already stays as it is. `patterns` are those of files right in the folder.
    """
    own = [workspace.results, workspace.state]
    roots = [workspace.path(collection.path) for collection in workspace.settings.collections.values()]
    if _within(folder, roots) and not _within(folder, own) and not (folder / FILE).exists():
        disk.write_file(folder / FILE, [f"/{pattern}\n".encode() for pattern in patterns])


def _within(folder: Path, roots: Sequence[Path]) -> bool:
    return any(folder.resolve().is_relative_to(root.resolve()) for root in roots)
