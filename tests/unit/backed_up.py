"""A small index to back up, and what must not change when a restore is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.unit import spoiling
from tests.unit.cli_workspace import Place
from tests.unit.spoiling import STATE


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashedWords:
    model = HashedWords()
    use(monkeypatch, model)
    return model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: HashedWords) -> Folder:
    monkeypatch.chdir(tmp_path)
    return spoiling.made(tmp_path)


@pytest.fixture
def here(folder: Folder, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(folder.place, capsys)


def backed_up(here: Place, name: str = "all.backup", *arguments: str) -> Path:
    ended = here.run("backup", name, "--json", *arguments)
    assert ended.code == 0, ended
    return here.folder / name


def contents(folder: Folder) -> Any:
    return folder.state(), folder.answers()


def refused(here: Place, path: Path, *arguments: str) -> str:
    """The one sentence with which a restore ends; the index is what it was before."""
    before = index_bytes(here)
    ended = here.run("restore", str(path), "--json", *arguments)
    assert (ended.code in (1, 2), list(ended.json)) == (True, ["error"]), ended
    assert ended.json["error"]["kind"] in ("backup", "exists", "collection", "version"), ended
    assert index_bytes(here) == before
    message: str = ended.json["error"]["message"]
    assert "Unexpected" not in message
    return message


def index_bytes(here: Place) -> dict[str, bytes]:
    index = here.folder / STATE
    left_aside = ("lock", "seal.json", "catalog.sqlite-shm", "catalog.sqlite-wal")
    return {str(p): p.read_bytes() for p in index.rglob("*") if p.is_file() and p.name not in left_aside}
