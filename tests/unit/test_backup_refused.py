"""`wherein restore` refuses what is cut, altered, foreign or hostile in one sentence, and changes nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store import archive
from store.errors import WhereinError
from tests.unit.backed_up import backed_up, embedder, folder, here, refused
from tests.unit.cli_workspace import Place

__all__ = ["embedder", "folder", "here"]


def test_a_cut_backup_is_refused(here: Place) -> None:
    path = backed_up(here)
    whole = path.read_bytes()
    for size in (0, 1, 21, 22, 100, 1000, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert str(path) in refused(here, path, "--replace")


def test_a_flipped_bit_of_a_backup_is_found_or_harmless(here: Place) -> None:
    path = backed_up(here)
    whole = path.read_bytes()
    used = [place for place, byte in enumerate(whole) if byte]
    with archive.opened(path) as backup:
        entries = backup.entries
    wrong = 0
    for place in [*used[:400], *used[400:-400:97], *used[-400:]]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            with archive.opened(path) as backup:
                backup.check()
                assert [replace(e, files=0, chunks=0, generation=0) for e in backup.entries] == [
                    replace(e, files=0, chunks=0, generation=0) for e in entries
                ]
        except WhereinError as error:
            assert error.kind in ("backup", "version")
            wrong += 1
    assert wrong > 500


Change = Callable[[list[dict[str, Any]], dict[str, Any]], None]


def forged(path: Path, change: Change | None = None, **options: Any) -> None:
    """The same backup written by somebody who knows the format; `change` gets its collections and its manifest."""
    with zipfile.ZipFile(path) as old:
        manifest = json.loads(old.read("manifest.json"))
        catalog = old.read("0.sqlite")
    if change is not None:
        change(manifest["collections"], manifest)
    with zipfile.ZipFile(path, "w", options.get("compression", zipfile.ZIP_STORED)) as new:
        new.writestr("manifest.json", options.get("manifest", json.dumps(manifest)))
        new.writestr(options.get("name", "0.sqlite"), options.get("catalog", catalog))
        for name in options.get("more", ()):
            new.writestr(name, b"x")


FORGED: dict[str, dict[str, Any]] = {
    "path traversal": {"name": "../../../evil.sqlite"},
    "absolute path": {"name": "/tmp/evil.sqlite"},
    "more entries": {"more": ["evil"]},
    "an entry twice": {"more": ["0.sqlite"]},
    "compressed": {"compression": zipfile.ZIP_DEFLATED, "catalog": b"\0" * 50_000_000},
    "no json": {"manifest": b"{"},
    "deep json": {"manifest": b"[" * 100_000},
    "huge manifest": {"manifest": b" " * 2_000_000},
    "a list": {"manifest": b"[]"},
    "other format": {"change": lambda entries, manifest: manifest.update(format="x")},
    "newer format": {"change": lambda entries, manifest: manifest.update(version=3)},
    "no collection": {"change": lambda entries, manifest: entries.clear()},
    "twice the same": {"change": lambda entries, manifest: entries.append(entries[0])},
    "a type": {"change": lambda entries, manifest: entries[0].update(files="4")},
    "a digest": {"change": lambda entries, manifest: entries[0].update(sha256="0" * 64)},
    "a size": {"change": lambda entries, manifest: entries[0].update(size_bytes=1)},
    "another field": {"change": lambda entries, manifest: entries[0].update(evil=1)},
    "a name": {"change": lambda entries, manifest: entries[0].update(collection="../../evil")},
}


@pytest.mark.parametrize("options", FORGED.values(), ids=FORGED)
def test_a_hostile_or_foreign_zip_is_refused(here: Place, options: dict[str, Any], recwarn: Any) -> None:
    path = backed_up(here)
    forged(path, **options)
    refused(here, path, "--replace")
    assert not list(here.folder.parent.glob("evil*"))


@pytest.mark.parametrize("content", [b"PK", b"no backup at all " * 100, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_of_another_kind_is_refused(here: Place, content: bytes) -> None:
    path = here.folder / "foreign"
    path.write_bytes(content)
    assert "is not a whole backup" in refused(here, path, "--replace")
    assert "foreign" in refused(here, here.folder / "foreign", "--replace")


CATALOGS = {
    "newer schema": "PRAGMA user_version = 99",
    "no schema": "PRAGMA user_version = 0",
    "a trigger": "CREATE TRIGGER t AFTER DELETE ON files BEGIN DELETE FROM contents; END",
    "a view": "CREATE VIEW v AS SELECT * FROM files",
    "a changed text": "UPDATE contents SET text = 'evil'",
    "no generation": "DELETE FROM generations",
    "nothing current": "DELETE FROM meta",
    "another file": "DROP TABLE chunks",
}


@pytest.mark.parametrize("statement", CATALOGS.values(), ids=CATALOGS)
def test_a_catalog_that_its_writer_did_not_write_is_refused_whatever_the_digests_say(
    here: Place, statement: str
) -> None:
    path, place = backed_up(here), here.folder / "forged.sqlite"
    with zipfile.ZipFile(path) as old:
        place.write_bytes(old.read("0.sqlite"))
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(statement)
    content = place.read_bytes()

    def digested(entries: list[dict[str, Any]], _manifest: dict[str, Any]) -> None:
        entries[0].update(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))

    forged(path, digested, catalog=content)
    assert "all.backup" in refused(here, path, "--replace")
