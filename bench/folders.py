"""A folder of notes to measure on: a copy that may be edited, and questions to put to it."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXTENSIONS = {".md", ".txt"}
SENTENCE = "Note {number} of the measurement: the quillon was moved to the upper shelf."
QUESTION_WORDS = 7


def copy(source: Path, target: Path) -> None:
    """The source's notes below `target`; where it holds `files.tar.gz` instead, what is packed in there."""
    archive = source / "files.tar.gz"
    if not archive.exists():
        shutil.copytree(source, target)
        return
    unpacked = target.with_name(f"{target.name}-unpacked")
    with tarfile.open(archive) as packed:
        packed.extractall(unpacked, filter="data")
    (unpacked / "files").rename(target)
    unpacked.rmdir()


def notes(folder: Path) -> list[Path]:
    """Every note, by path."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in EXTENSIONS and path.is_file())


@contextmanager
def editable(folder: Path) -> Iterator[Edits]:
    """Edits that are undone at the end, times included."""
    edits = Edits(notes(folder))
    try:
        yield edits
    finally:
        edits.undo()


class Edits:
    """One sentence at the end of one file at a time."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths = paths
        self._before: dict[Path, tuple[bytes, int]] = {}
        self._count = 0

    def next(self) -> None:
        """Edit another file, of middling place in the folder's order."""
        path = self._paths[(len(self._paths) // 2 + self._count * 7) % len(self._paths)]
        self._count += 1
        before = path.read_bytes()
        self._before.setdefault(path, (before, path.stat().st_mtime_ns))
        path.write_bytes(before + f"\n\n{SENTENCE.format(number=self._count)}\n".encode())

    def undo(self) -> None:
        for path, (content, mtime_ns) in self._before.items():
            path.write_bytes(content)
            os.utime(path, ns=(mtime_ns, mtime_ns))
        self._before.clear()


def questions(source: Path, folder: Path, count: int) -> list[str]:
    """The folder's own `queries.jsonl` (field `text`), else some words out of the middle of files spread over it."""
    written = source / "queries.jsonl"
    if written.exists():
        lines = written.read_text(encoding="utf-8").splitlines()
        return [str(json.loads(line)["text"]) for line in lines][:count]
    paths = notes(folder)
    found = [_words(path) for path in paths[:: max(1, len(paths) // count)]]
    return [text for text in found if text][:count]


def _words(path: Path) -> str:
    words = path.read_text(encoding="utf-8", errors="replace").split()
    middle = len(words) // 2
    return " ".join(words[middle : middle + QUESTION_WORDS])
