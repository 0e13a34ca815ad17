from __future__ import annotations

import random
import time

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths

TWENTY = {f"f{n:02}.txt": f"shared word and own{n}" for n in range(20)}
BATCH = 2


def test_a_kill_half_way_keeps_what_was_paid_for_and_the_next_run_does_the_rest(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": BATCH}})
    ws.write_all(TWENTY)
    gate = stub.hold("embed", first=6)
    running = ws.start("ingest")
    gate.wait_reached()
    running.kill()
    running.process.wait(30)
    paid = {text for seen in stub.requests("embed") if seen.answered for text in seen.texts}
    gate.release()
    assert len(paid) >= 8
    indexed = ws.run("status", "--json").expect(0, 1, 3)
    assert indexed.code == 1 or indexed.json["collections"][0]["files"]["indexed"] < 20
    stub.forget()
    ws.ingest()
    assert len(paid & set(stub.embedded)) <= 2 * BATCH, "only what was in flight may be paid for again"
    assert len(set(stub.embedded)) == len(stub.embedded)
    assert ws.status()["files"]["indexed"] == 20
    assert sorted(paths(ws.search("shared", "--mode", "keyword", "-k", "50"))) == sorted(TWENTY)


def test_a_kill_loses_no_sentence_that_a_model_has_written(ws: Workspace, stub: Stub) -> None:
    ws.configure({"chunking": {"context": "llm"}})
    ws.write_all({name: TWENTY[name] for name in sorted(TWENTY)[:8]})
    gate = stub.hold("chat", first=6)
    running = ws.start("ingest")
    gate.wait_reached()
    running.kill()
    running.process.wait(30)
    answered = {seen.prompt for seen in stub.chats if seen.answered}
    gate.release()
    assert len(answered) == 5
    stub.forget()
    report = ws.ingest()
    again = {seen.prompt for seen in stub.chats}
    assert len(answered & again) <= 1, "the one that was in flight may be paid for again"
    assert report["sentences"]["written"] + report["sentences"]["reused"] == 8
    assert report["sentences"]["reused"] >= 4
    assert ws.status()["files"]["indexed"] == 8


def test_status_tells_of_an_interrupted_run_until_the_next_one(ws: Workspace, stub: Stub) -> None:
    ws.write("old.txt", "settled text")
    ws.ingest()
    assert not ws.status()["interrupted_run"]
    ws.write_all(TWENTY)
    gate = stub.hold("embed")
    running = ws.start("ingest")
    gate.wait_reached()
    running.kill()
    running.process.wait(30)
    gate.release()
    status = ws.status()
    assert status["interrupted_run"]
    assert status["files"]["indexed"] == 1
    assert paths(ws.search("settled", "--mode", "keyword")) == ["old.txt"]
    ws.ingest()
    assert not ws.status()["interrupted_run"]


@pytest.mark.parametrize("seed", range(6))
def test_a_kill_at_a_random_moment_never_costs_the_index(ws: Workspace, stub: Stub, seed: int) -> None:
    chance = random.Random(seed)
    ws.write_all({"a.txt": "wording number 0", "b.txt": "steady pelican"})
    ws.ingest()
    for turn in range(2):
        ws.write("a.txt", f"wording number {turn + 1}")
        gate = stub.hold("embed")
        running = ws.start("ingest")
        gate.wait_reached()
        gate.release()
        time.sleep(chance.uniform(0, 0.25))
        running.kill()
        running.process.wait(30)
        assert ws.status()["files"]["indexed"] == 2
        (hit,) = ws.search("wording", "--mode", "keyword")["hits"]
        assert hit["text"] in (f"wording number {turn}", f"wording number {turn + 1}")
        assert paths(ws.search("steady pelican", "--mode", "vector"))[0] == "b.txt"
        ws.ingest()
        assert ws.show("a.txt") == f"wording number {turn + 1}"


def test_ctrl_c_stops_asking_the_model_and_the_next_run_resumes(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": BATCH}})
    ws.write_all(TWENTY)
    gate = stub.hold("embed", first=4)
    running = ws.start("ingest")
    gate.wait_reached()
    running.interrupt()
    gate.release()
    running.wait(30).expect(130)
    seen = len(stub.requests("embed"))
    paid = set(stub.embedded)
    time.sleep(0.5)
    assert len(stub.requests("embed")) == seen, "nothing goes on embedding"
    stub.forget()
    assert ws.ingest()["chunks"]["total"] == 20
    assert len(paid & set(stub.embedded)) <= 2 * BATCH


def test_ctrl_c_ends_a_run_that_waits_for_a_silent_server(ws: Workspace, stub: Stub) -> None:
    ws.write_all(TWENTY)
    ws.write("old.txt", "settled text")
    gate = stub.hold("embed")
    running = ws.start("ingest")
    gate.wait_reached()
    running.interrupt()
    running.wait(30).expect(130)
    gate.release()
    assert ws.ingest()["chunks"]["total"] == 21
