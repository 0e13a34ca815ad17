"""A workspace that may be read and not written."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cases.conftest import give_away
from tests.support.workspace import Workspace

FILES = {"a.txt": "shy numbat", "b.txt": "shy wombat", "c.txt": "bold pelican"}


def _closed(ws: Workspace) -> Path:
    """Indexed, then closed to everyone's writing; the folder of the index."""
    ws.configure({"answers": {"log": False}})
    ws.write_all(FILES)
    give_away(ws)
    ws.ingest()
    for path in [ws.root, *ws.root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
        if os.geteuid() == 0:
            os.chown(path, 0, 0, follow_symlinks=False)
    return ws.state / "collections" / "notes"


def test_a_read_only_workspace_is_searched_also_where_something_derived_is_damaged(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    index = _closed(ws)
    right = ws.search("shy numbat")["hits"]
    assert [hit["path"] for hit in right][:2] == ["a.txt", "b.txt"]
    assert ws.show("c.txt") == FILES["c.txt"]
    assert ws.status()["files"]["indexed"] == 3
    index.chmod(0o755)
    for file in sorted((index / "derived").iterdir()):
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[:100])
        file.chmod(0o444)
    index.chmod(0o555)
    answer = ws.search("shy numbat")
    assert answer["hits"] == right
    assert any("computed from the catalog" in note for note in answer["notes"])
    assert ws.run("ingest", "--json").expect(1).json["error"]["kind"] == "disk"


def test_a_read_only_workspace_with_a_damaged_catalog_says_so(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    index = _closed(ws)
    catalog = index / "catalog.sqlite"
    catalog.chmod(0o644)
    catalog.write_bytes(catalog.read_bytes()[:5000])
    catalog.chmod(0o444)
    error = ws.run("search", "numbat", "--json").expect(1).json["error"]
    assert (error["kind"], "--rebuild" in error["message"]) == ("damaged", True)
