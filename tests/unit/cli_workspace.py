"""A small indexed workspace, made without a model, and a way to run commands in it."""

from __future__ import annotations

import io
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from store import writer
from store.embeddings import embedding_key, text_key
from store.files import StagedChunk, StagedFile
from store.records import FileStat, Problem, Span
from store.writer import Writer
from tasks.lines import LineIndex
from wherein.cli.program import run

NOON_NS = 1_700_049_600_000_000_000  # 2023-11-15, 12:00 UTC
SETTINGS = {"embedding": {"fingerprint": "f"}, "dates": []}
UNIT = struct.pack("<f", 1.0)
SPANS = tuple[tuple[int, int], ...]


def left_out(path: str) -> StagedFile:
    """A file that an ingest would skip."""
    stat = FileStat(path, 3, NOON_NS, 1, 1)
    return StagedFile(stat, "0" * 64, "skipped", kind="binary", reason="it is binary")


def staged(index: Writer, path: str, text: str, spans: SPANS = ()) -> StagedFile:
    """A file as an ingest would stage it; its chunks are the given spans, by default the whole text."""
    places = spans or (((0, len(text)),) if text.strip() else ())
    keys = [embedding_key("f", text[start:end]) for start, end in places]
    ids = index.remember(dict.fromkeys(keys, UNIT))
    lines = LineIndex(text)
    chunks = [
        StagedChunk(
            Span(start, end, lines.line(start), lines.line(end - 1), None), text_key(text[start:end]), ids[key], {}
        )
        for (start, end), key in zip(places, keys, strict=True)
    ]
    stat = FileStat(path, len(text.encode()), NOON_NS, 1, 1)
    return StagedFile(stat, "0" * 64, "indexed" if places else "empty", text=text, language="en", chunks=chunks)


def publish(folder: Path, *files: tuple[str, str] | tuple[str, str, SPANS], pending: tuple[Problem, ...] = ()) -> None:
    """A generation that holds these (path, text[, spans])."""
    with writer.opened(folder, folder.name) as index:
        index.stage([staged(index, *file) for file in files])
        index.publish(SETTINGS, 2)
        index.finish([], pending, 1, 0)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Place:
    """A folder that commands run in."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    def settings(self, text: str) -> None:
        (self.folder / "wherein.toml").write_text(text, encoding="utf-8")

    def index(self, name: str = "notes") -> Path:
        return self.folder / ".wherein" / "collections" / name

    def run(self, *arguments: str) -> Ended:
        """Run a command here, in this process."""
        self.capture.readouterr()
        code = run(arguments)
        out, err = self.capture.readouterr()
        return Ended(code, out, err)


def collections(names: Mapping[str, str]) -> str:
    """Settings with these collections: name → path."""
    return "\n".join(f"[collections.{name}]\npath = {json.dumps(path)}\n" for name, path in names.items())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """An empty workspace with one collection, `notes`, and nothing of the outside in its environment."""
    for name in [name for name in os.environ if name.upper().startswith("WHEREIN_")]:
        monkeypatch.delenv(name)
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    found = Place(tmp_path, capsys)
    found.settings(collections({"notes": "notes"}))
    return found
