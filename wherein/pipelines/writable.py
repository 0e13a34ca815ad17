"""Whether a report can be written, known before the work that it tells of."""

from __future__ import annotations

import os
from pathlib import Path

from store.errors import WhereinError, usage


def can_write(folder: Path) -> None:
    """Raise WhereinError if no file can be written below a folder, which need not be there yet."""
    try:
        at = next(place for place in (folder, *folder.absolute().parents) if place.exists() or place.is_symlink())
    except OSError as error:
        raise usage(f"Cannot write to {folder}: {error.strerror}; name another with --out.", "out") from error
    if not at.is_dir():
        raise usage(f"{at} is no folder, so nothing can be written to {folder}: name another with --out.", "out")
    if not os.access(at, os.W_OK | os.X_OK):
        raise WhereinError(f"Cannot write to {at}: it is read-only; name another folder with --out.", kind="disk")
