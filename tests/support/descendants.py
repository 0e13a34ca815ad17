"""Which processes a process has started, seen through /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path


def descendants(pid: int | None = None) -> set[int]:
    """Pids below `pid` (default: this process) that are alive; zombies do not count."""
    parents = _parents()
    found: set[int] = set()
    level = {os.getpid() if pid is None else pid}
    while level:
        level = {child for child, parent in parents.items() if parent in level} - found
        found |= level
    return found


def survivors(pids: set[int], patience_seconds: float = 20.0) -> set[int]:
    """Those of `pids` still alive once all have gone or the patience has run out."""
    deadline = time.monotonic() + patience_seconds
    alive = pids & set(_parents())
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = pids & set(_parents())
    return alive


def _parents() -> dict[int, int]:
    """Parent of every live process."""
    table: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state not in "ZX":
                table[int(entry.name)] = int(parent)
    return table
