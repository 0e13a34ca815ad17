from __future__ import annotations

import pytest

from tests.support.faults import Fault, always
from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths

TEN = {f"f{n}.txt": f"shared word and own{n}" for n in range(10)}


def test_a_second_writer_ends_at_once_as_busy(ws: Workspace, stub: Stub) -> None:
    ws.write_all(TEN)
    gate = stub.hold("embed")
    first = ws.start("ingest", "--json")
    gate.wait_reached()
    second = ws.run("ingest", "--json").expect(5)
    assert second.json["error"]["code"] == 5
    gate.release()
    first.wait().expect(0)
    assert ws.status()["chunks"] == 10
    assert sorted(stub.embedded) == sorted(TEN.values())


def test_a_waiting_writer_takes_its_turn(ws: Workspace, stub: Stub) -> None:
    ws.write_all(TEN)
    gate = stub.hold("embed")
    first = ws.start("ingest", "--json")
    gate.wait_reached()
    second = ws.start("ingest", "--wait", "60", "--json")
    ws.run("ingest", "--wait", "1").expect(5)
    assert second.process.poll() is None
    gate.release()
    first.wait().expect(0)
    assert second.wait().expect(0).json[0]["files"]["unchanged"] == 10


def test_a_killed_writer_leaves_no_lock_behind(ws: Workspace, stub: Stub) -> None:
    ws.write_all(TEN)
    gate = stub.hold("embed")
    first = ws.start("ingest")
    gate.wait_reached()
    first.kill()
    first.process.wait(30)
    gate.release()
    assert ws.ingest()["chunks"]["total"] == 10


def test_writers_of_different_collections_do_not_hinder_each_other(ws: Workspace, stub: Stub) -> None:
    (ws.root / "other").mkdir()
    (ws.root / "other" / "a.txt").write_text("elsewhere", encoding="utf-8")
    ws.configure({"collections": {"other": {"path": "other"}}})
    ws.write_all(TEN)
    gate = stub.hold("embed")
    first = ws.start("ingest", "notes")
    gate.wait_reached()
    second = ws.start("ingest", "other")
    stub.wait_for("embed", lambda seen: "elsewhere" in seen.texts)
    gate.release()
    first.wait().expect(0)
    second.wait().expect(0)


def test_readers_see_the_last_committed_state_while_a_run_goes_on(ws: Workspace, stub: Stub) -> None:
    ws.write_all(TEN)
    old = ws.ingest()["generation"]
    for name in TEN:
        ws.write(name, f"shared word but renewed {name}")
    (ws.notes / "f9.txt").unlink()
    gate = stub.hold("embed")
    running = ws.start("ingest")
    gate.wait_reached()
    answer = ws.search("shared", "--mode", "keyword")
    assert (sorted(paths(answer)), answer["generations"]["notes"]) == (sorted(TEN), old)
    assert ws.show("f9.txt") == TEN["f9.txt"]
    assert ws.status()["generation"] == old
    assert len(ws.files()) == 10
    ws.run("keywords", "own3", "--json").expect(0)
    gate.release()
    running.wait().expect(0)
    assert sorted(paths(ws.search("renewed", "--mode", "keyword"))) == sorted(TEN)[:9]


def test_questions_are_answered_all_through_a_slow_run(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 1}})
    ws.write_all(TEN)
    ws.ingest()
    for name in TEN:
        ws.write(name, f"shared word but renewed {name}")
    stub.rule("embed", always(Fault(delay_seconds=0.3)))
    running = ws.start("ingest")
    asked = 0
    while running.process.poll() is None:
        asked += 1
        assert len(ws.search("shared", "--mode", "keyword")["hits"]) == 10
    running.wait().expect(0)
    assert asked > 0
    assert len(ws.search("renewed", "--mode", "keyword")["hits"]) == 10


@pytest.mark.parametrize("turn", range(2))
def test_a_refresh_and_three_questions_at_once_all_succeed(ws: Workspace, stub: Stub, turn: int) -> None:
    ws.write_all(TEN)
    ws.ingest()
    ws.write("new.txt", f"newcomer {turn}")
    runs = [ws.start("ingest"), *(ws.start("ask", f"which word is shared {n}?") for n in range(3))]
    results = [run.wait(120) for run in runs]
    for result in results:
        assert "locked" not in result.expect(0).said
    assert len(stub.chats) == 3
