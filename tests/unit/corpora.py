"""Texts of the real corpora, read in place."""

from __future__ import annotations

import os
import tarfile
from functools import cache
from pathlib import Path

import pytest


def data_folder(name: str) -> Path:
    """A corpus's folder; skips the test where it is absent."""
    default = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("WHEREIN_TEST_DATA", default)) / name
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder} (WHEREIN_TEST_DATA names another place)")
    return folder


@cache
def _entries(archive: Path) -> tuple[tuple[str, str], ...]:
    with tarfile.open(archive) as tar:
        members = sorted((m for m in tar.getmembers() if m.isfile()), key=lambda m: m.name)
        streams = ((member.name, tar.extractfile(member)) for member in members)
        return tuple((Path(name).name, stream.read().decode()) for name, stream in streams if stream is not None)


def diary(count: int) -> list[str]:
    """So many entries of the diary, spread over all its years."""
    entries = _entries(data_folder("pepys-diary") / "files.tar.gz")
    return [text for _, text in entries[:: max(1, len(entries) // count)]][:count]
