"""`answers replay`: what a refresh changed in the evidence of an answer."""

from __future__ import annotations

from typing import Any

from tests.support.workspace import Workspace


def _paths(passages: list[dict[str, Any]]) -> list[str]:
    return [passage["path"] for passage in passages]


def test_replay_tells_what_is_gone_new_and_moved_and_asks_only_when_told_to(ws: Workspace) -> None:
    ws.write_all({"a.txt": "pelican pelican code", "b.txt": "pelican note and more"})
    ws.ingest()
    given = ws.run("ask", "pelican code?", "--mode", "keyword", "--json").expect(0).json
    same = ws.run("answers", "replay", given["id"], "--json").expect(0).json
    assert (same["gone"], same["new"], same["moved"], same["unchanged"]) == ([], [], [], 2)
    (ws.notes / "a.txt").unlink()
    ws.write("c.txt", "a pelican")
    ws.ingest()
    ws.stub.forget()
    found = ws.run("answers", "replay", given["id"], "--json").expect(0).json
    assert ws.stub.requests() == [], "keyword mode, as then, and no model"
    assert (_paths(found["gone"]), _paths(found["new"])) == (["a.txt"], ["c.txt"])
    assert {m["path"] for m in found["moved"]} | {"b.txt"} == {"b.txt"}
    assert len(found["moved"]) + found["unchanged"] == 1
    assert found["generations_now"]["notes"] > found["generations_then"]["notes"]
    ws.stub.default_answer = "Another answer [1]."
    shown = ws.run("answers", "replay", given["id"], "--ask").expect(0)
    assert "gone   a.txt:1" in shown.stdout
    assert given["answer"] in shown.stdout
    assert "Another answer [1]." in shown.stdout
    assert len(ws.stub.chats) == 1
    assert len(ws.run("answers", "--json").expect(0).json) == 1, "a replay is not kept"


def test_an_answer_that_is_not_kept_cannot_be_replayed(ws: Workspace) -> None:
    assert "answer nosuch is kept" in ws.run("answers", "replay", "nosuch").expect(4).said
