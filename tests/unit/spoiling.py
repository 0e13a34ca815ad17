"""Ways in which a file is spoilt, and a small index to spoil."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store import reading
from tests.property.folder import Folder

STATE = Path(".wherein") / "collections" / "c"
VARYING = frozenset(
    ("notes", "stages", "seconds", "index_age_seconds", "age_seconds", "refreshed_at", "bytes", "generation", "id",
     "newest", "damaged", "root", "generations")
)  # fmt: skip
"""What in a result tells of the time, the place, and how an index came about."""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def noise(path: Path) -> None:
    path.write_bytes(random.Random(path.name).randbytes(path.stat().st_size))


def noise_in_the_middle(path: Path) -> None:
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = random.Random(path.name).randbytes(third)
    path.write_bytes(bytes(content))


def gone(path: Path) -> None:
    path.unlink()


KINDS: tuple[Callable[[Path], None], ...] = (cut, empty, noise, noise_in_the_middle, gone)


def flip(path: Path, bit: int) -> None:
    """Flip one bit, counted from the start of the file."""
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(bytes(content))


def made(place: Path) -> Folder:
    """An index of two generations and two vector segments, as its writer leaves it."""
    folder = Folder(place)
    for name, text in (("a.txt", "ale bee " * 9), ("b.md", "bee cod " * 9), ("s/c.txt", "dew elm fir " * 9)):
        folder.write(name, text.encode())
    folder.ingest()
    folder.write("a.txt", b"ale gum bee " * 9)
    folder.write("d.txt", b"fir cod elm " * 9)
    folder.ingest()
    return folder


def made_and_killed(place: Path, target: Path) -> None:
    """The same with its second generation in the write-ahead log, as a killed writer leaves it, in `target`."""
    folder = Folder(place)
    for name, text in (("a.txt", "ale bee " * 9), ("b.md", "bee cod " * 9), ("s/c.txt", "dew elm fir " * 9)):
        folder.write(name, text.encode())
    folder.ingest()
    reader = reading.begun(place / STATE / "catalog.sqlite")
    made(place)
    shutil.copytree(place, target)
    reader.close()


def plain(value: Any) -> Any:
    """A result without what varies."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if key not in VARYING}
    return [plain(inner) for inner in value] if isinstance(value, list) else value
