from __future__ import annotations

import shutil

import pytest

from tests.support.faults import Fault, always
from tests.support.stub import Stub
from tests.support.workspace import Workspace


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    ws.write_all({"a.txt": "the pelican code is 7", "b.txt": "garden notes"})
    ws.ingest()
    return ws


def _error(ws: Workspace, *args: str, code: int) -> dict[str, str]:
    error: dict[str, str] = ws.run(*args, "--json").expect(code).json["error"]
    assert set(error) >= {"code", "kind", "message"}
    assert int(error["code"]) == code
    assert "\n" not in error["message"].strip()
    return error


def test_everything_done_is_zero(ready: Workspace) -> None:
    for command in (
        ("ingest",),
        ("search", "pelican"),
        ("ask", "pelican?"),
        ("status",),
        ("files",),
        ("show", "a.txt"),
    ):
        ready.run(*command).expect(0)


def test_no_index_yet_is_a_failure(ws: Workspace) -> None:
    ws.write("a.txt", "pelican")
    assert "ingest" in _error(ws, "search", "pelican", code=1)["message"]
    _error(ws, "ask", "pelican?", code=1)


def test_an_embedder_in_trouble_is_a_failure(ws: Workspace, stub: Stub) -> None:
    ws.write("a.txt", "pelican")
    stub.missing = {"stub-embed"}
    ws.run("ingest").expect(1, 2)


@pytest.mark.parametrize(
    "command",
    [
        ("search", " "),
        ("search", "pelican", "--mode", "psychic"),
        ("search", "pelican", "--nosuchflag"),
        ("search", "pelican", "--set", "retrieval.nosuch=1"),
        ("search", "pelican", "--set", "retrieval.k=minus"),
        ("search", "pelican", "--set", "retrieval"),
        ("ask", "pelican?", "--model", "nosuch"),
        ("ingest", "nosuchcollection"),
        ("nosuchcommand",),
    ],
)
def test_wrong_usage_is_two(ready: Workspace, command: tuple[str, ...]) -> None:
    ready.run(*command).expect(2)


def test_no_workspace_is_wrong_usage(ws: Workspace) -> None:
    outside = ws.root.parent / "outside"
    outside.mkdir()
    for command in (("search", "pelican"), ("status",), ("ingest",)):
        assert "wherein.toml" in ws.run(*command, cwd=outside).expect(2).said


def test_one_bad_file_of_three_is_partial(ws: Workspace) -> None:
    ws.write_all({"a.txt": "pelican", "b.txt": "garden", "bad.txt": bytes(range(256)) * 9})
    for _ in range(2):
        ws.run("ingest").expect(3)
    ws.run("search", "pelican").expect(0)
    (ws.notes / "bad.txt").unlink()
    ws.run("ingest").expect(0)


def test_blank_files_links_and_ignored_files_are_not_partial(ws: Workspace) -> None:
    ws.write_all({"a.txt": "pelican", "blank.txt": "", "photo.jpg": b"\0\1", ".hidden.txt": "x"})
    (ws.notes / "link.txt").symlink_to("a.txt")
    ws.run("ingest").expect(0)


def test_an_unreachable_model_is_partial(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(500)))
    ready.run("ask", "pelican?").expect(3)


def test_nothing_found_is_four(ready: Workspace) -> None:
    for command in (
        ("search", "zzyzx", "--mode", "keyword"),
        ("ask", "zzyzx?", "--mode", "keyword"),
        ("keywords", "zzyzx"),
        ("show", "nosuch.txt"),
    ):
        ready.run(*command).expect(4)


def test_in_a_query_not_found_beats_partial(ready: Workspace) -> None:
    ready.configure({"rerank": {"enabled": True, "base_url": ready.stub.v1, "model": "stub-rerank"}})
    ready.stub.rule("rerank", always(Fault(500)))
    ready.run("search", "pelican").expect(3)
    ready.run("search", "pelican", "--set", "retrieval.floor=1").expect(4)


def test_several_collections_ending_differently_are_partial(ws: Workspace) -> None:
    (ws.root / "other").mkdir()
    (ws.root / "other" / "a.txt").write_text("heron", encoding="utf-8")
    ws.write("a.txt", "pelican")
    ws.configure({"collections": {"other": {"path": "other"}}})
    ws.run("ingest").expect(0)
    shutil.rmtree(ws.root / "other")
    ws.run("ingest").expect(3)
    ws.run("ingest", "notes").expect(0)
    ws.run("ingest", "other").expect(1)
    shutil.rmtree(ws.notes)
    ws.run("ingest").expect(1)
