"""The seal of a collection: how its last writer left the catalog, so that any other change of it is noticed.

While a writer works, the seal names its process instead; then the catalog's files may change at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from store import disk
from store.errors import WhereinError

NAME = "seal.json"
_CATALOG = "catalog.sqlite"


@dataclass(frozen=True, slots=True)
class Seal:
    """`generation`: the newest that was published; `mark`: the stat of the catalog's files, None while written."""

    generation: int
    mark: str | None
    writer: int | None = None


def mark(folder: Path) -> str:
    """Size, times and inode of the catalog and of its write-ahead log, an empty log counting as none."""
    return f"{_stat(folder / _CATALOG)} {_stat(folder / (_CATALOG + '-wal'))}"


def _stat(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return "-"
    return f"{stat.st_size}:{stat.st_mtime_ns}:{stat.st_ctime_ns}:{stat.st_ino}" if stat.st_size else "-"


def read(folder: Path) -> Seal | None:
    """The seal, or None if there is none that can be believed."""
    try:
        digest, _, body = (folder / NAME).read_text(encoding="ascii").partition("\n")
    except (OSError, ValueError):
        return None
    return Seal(**json.loads(body)) if digest == _digest(body) else None


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _write(folder: Path, seal: Seal) -> None:
    body = json.dumps(asdict(seal), sort_keys=True) + "\n"
    disk.write_note(folder / NAME, f"{_digest(body)}\n{body}")


def opened(folder: Path, generation: int) -> None:
    """Note that this process writes the catalog from now on."""
    _write(folder, Seal(generation, None, os.getpid()))


def closed(folder: Path) -> None:
    """Note how this process left the catalog; without that, it is read as a whole once before it is believed."""
    sealed = read(folder)
    if sealed is not None and sealed.writer == os.getpid():
        with suppress(WhereinError):
            _write(folder, Seal(sealed.generation, mark(folder)))


def alive(process_id: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
