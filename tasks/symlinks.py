"""Symbolic links of a walk: refused, or followed inside the root, each real file once."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from store.records import Problem
from tasks.walk import Folder, Link, Walk, file_stat, shown


def refuse(walk: Walk) -> None:
    """Name the links that were found."""
    walk.skipped += [_problem(link, "a symbolic link, which is not followed") for link in walk.links]


def follow(walk: Walk) -> None:
    """Take what the links lead to, unless the walk has it under its own path.

    Links to folders come first, in the order of their paths; a folder is entered once, so loops end.
    """
    files: list[tuple[Link, str]] = []
    while walk.links:
        links, walk.links = sorted(walk.links, key=lambda link: link.path), []
        for link in links:
            real = _target(walk, link)
            if real is not None and link.folder:
                _enter(walk, link, f"{real}/" if real else "")
            elif real is not None:
                files.append((link, real))
    taken = _real_paths(walk)
    for link, real in sorted(files, key=lambda found: found[0].path):
        _take(walk, link, real, taken)


def _target(walk: Walk, link: Link) -> str | None:
    """Where a link leads, relative to where the root lies; None, and a problem, if it may not be followed."""
    root = Path(os.path.realpath(walk.root))
    try:
        target = Path(os.path.realpath(walk.root / link.path, strict=True))
    except OSError:
        walk.skipped.append(_problem(link, "a symbolic link that leads nowhere"))
        return None
    if not target.is_relative_to(root):
        walk.skipped.append(_problem(link, "a symbolic link that leads outside the collection"))
        return None
    real = "" if target == root else target.relative_to(root).as_posix()
    if walk.skips(real):
        walk.skipped.append(_problem(link, "a symbolic link into the index or the results"))
        return None
    return real


def _enter(walk: Walk, link: Link, real: str) -> None:
    if real in walk.entered:
        walk.skipped.append(_problem(link, f"a symbolic link to a folder read as {walk.entered[real] or '.'}"))
    else:
        walk.enter(Folder(f"{link.path}/", real, link.ignore))


def _take(walk: Walk, link: Link, real: str, taken: dict[str, str]) -> None:
    if real in taken:
        walk.skipped.append(_problem(link, f"a symbolic link to a file read as {taken[real]}"))
        return
    with suppress(FileNotFoundError):  # gone since its folder was listed
        stat = (walk.root / link.path).stat()
        if S_ISREG(stat.st_mode):
            taken[real] = link.path
            walk.files.append(file_stat(link.path, stat))
        else:
            walk.excluded += 1


def _real_paths(walk: Walk) -> dict[str, str]:
    """Where each file found lies, and the path it was found by."""
    real_of = {path: real for real, path in walk.entered.items()}
    real_paths = {}
    for file in walk.files:
        cut = file.path.rfind("/") + 1
        real_paths[real_of[file.path[:cut]] + file.path[cut:]] = file.path
    return real_paths


def _problem(link: Link, reason: str) -> Problem:
    return Problem(shown(link.path), "symlink", reason)
