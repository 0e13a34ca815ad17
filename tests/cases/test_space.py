from __future__ import annotations

from pathlib import Path

from tests.support.workspace import Workspace, paths, tree_bytes


def _raw(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def _holds(folder: Path, word: str) -> bool:
    raw = _raw(folder).lower()
    return any(word.encode(encoding) in raw for encoding in ("utf-8", "utf-16-le", "utf-32-le"))


def test_purge_removes_a_deleted_text_from_the_state(ws: Workspace) -> None:
    ws.write_all({"s.txt": "the code is xyzzysecret today", "t.txt": "harmless pelican"})
    ws.ingest()
    (ws.notes / "s.txt").unlink()
    ws.ingest()
    ws.run("purge").expect(0)
    assert not _holds(ws.state, "xyzzysecret")
    assert paths(ws.search("pelican")) == ["t.txt"]
    assert ws.ingest()["files"]["unchanged"] == 1


def test_purge_removes_an_edited_out_passage_from_the_state(ws: Workspace) -> None:
    ws.write("s.txt", "first paragraph\n\nthe code is xyzzysecret today\n\nlast paragraph")
    ws.ingest()
    ws.write("s.txt", "first paragraph\n\nlast paragraph")
    ws.ingest()
    ws.run("purge").expect(0)
    assert not _holds(ws.state, "xyzzysecret")
    assert ws.show("s.txt") == "first paragraph\n\nlast paragraph"


def test_purge_empties_the_state_of_the_last_file_too(ws: Workspace) -> None:
    ws.write("s.txt", "the code is xyzzysecret today")
    ws.ingest()
    (ws.notes / "s.txt").unlink()
    ws.ingest("--allow-deletes")
    ws.run("purge").expect(0)
    assert not _holds(ws.state, "xyzzysecret")


def test_repeated_edits_do_not_grow_the_state_without_bound(ws: Workspace) -> None:
    body = "\n\n".join(f"Line {n} of a ten kilobyte file with ordinary words in it." for n in range(170))
    ws.write("a.txt", body)
    ws.ingest()
    first = tree_bytes(ws.state)
    for turn in range(15):
        ws.write("a.txt", body.replace("ordinary", f"ordinary{turn}"))
        ws.ingest()
    assert tree_bytes(ws.state) < 5 * first


def test_runs_without_changes_do_not_grow_the_state(ws: Workspace) -> None:
    ws.write_all({f"f{n}.txt": f"text number {n}" for n in range(20)})
    ws.ingest()
    ws.ingest()
    before = tree_bytes(ws.state) + tree_bytes(ws.home)
    for _ in range(6):
        ws.ingest()
    assert tree_bytes(ws.state) + tree_bytes(ws.home) - before < 6 * 100_000
