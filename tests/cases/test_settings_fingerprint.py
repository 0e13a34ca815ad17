from __future__ import annotations

import json

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths

LONG = "\n\n".join(f"Paragraph {n} tells of subject{n} and of much else besides. " * 6 for n in range(12))


@pytest.mark.parametrize("change", [{"size": 64}, {"overlap": 60}, {"context": "headings"}])
def test_changed_chunking_stops_the_refresh_and_names_the_rebuild(ws: Workspace, change: dict[str, object]) -> None:
    ws.write("a.md", "# Heading\n\n" + LONG)
    before = ws.ingest()
    old_hits = ws.search("subject7")["hits"]
    ws.configure({"chunking": change})
    assert "--rebuild" in ws.run("ingest").expect(1).said
    assert ws.search("subject7")["hits"] == old_hits
    status = ws.status()
    assert status["generation"] == before["generation"]
    assert next(iter(change)) in json.dumps(status["settings"]["differing"])
    after = ws.ingest("--rebuild")
    assert after["generation"] > before["generation"]
    assert ws.status()["settings"]["differing"] in ({}, [])
    assert ws.ingest()["generation"] == after["generation"]


def test_smaller_chunks_after_a_rebuild_are_all_smaller(ws: Workspace) -> None:
    ws.write("a.txt", LONG)
    before = ws.ingest()
    ws.configure({"chunking": {"size": 48, "overlap": 0}})
    after = ws.ingest("--rebuild")
    assert after["chunks"]["total"] > before["chunks"]["total"]
    hits = ws.search("paragraph tells", "-k", "50", "--per-source", "0")["hits"]
    assert max(len(hit["text"].split()) for hit in hits) <= 48


def test_another_embedding_model_stops_the_refresh_until_a_rebuild(ws: Workspace, stub: Stub) -> None:
    stub.dims = {"stub-embed": 8, "stub-embed-2": 16}
    ws.add_model("stubembed2", "stub-embed-2")
    ws.write_all({"a.txt": "lonely pelican", "b.txt": "garden notes"})
    ws.ingest()
    ws.configure({"embedding": {"model": "stubembed2"}})
    result = ws.run("ingest").expect(1)
    assert "--rebuild" in result.said
    stub.forget()
    assert paths(ws.search("lonely pelican", "--mode", "vector"))[0] == "a.txt"
    assert {seen.model for seen in stub.requests("embed")} == {"stub-embed"}
    ws.ingest("--rebuild")
    stub.forget()
    assert paths(ws.search("lonely pelican", "--mode", "vector"))[0] == "a.txt"
    assert {seen.model for seen in stub.requests("embed")} == {"stub-embed-2"}


def test_going_back_to_the_old_setting_needs_no_rebuild(ws: Workspace) -> None:
    ws.write("a.txt", LONG)
    generation = ws.ingest()["generation"]
    ws.configure({"chunking": {"size": 64}})
    ws.run("ingest").expect(1)
    ws.configure({"chunking": {"size": 256}})
    assert ws.ingest()["generation"] == generation


def test_another_language_is_rederived_at_once_without_a_model_call(ws: Workspace, stub: Stub) -> None:
    ws.configure({"collections": {"notes": {"language": "none"}}})
    ws.write_all({"d1.txt": "Die Häuser sind alt", "d2.txt": "Das Wetter bleibt schön"})
    ws.ingest()
    ws.search("Haus", "--mode", "keyword", code=4)
    stub.forget()
    ws.configure({"collections": {"notes": {"language": "de"}}})
    ws.ingest(code=0)
    assert stub.requests("embed") == []
    assert paths(ws.search("Haus", "--mode", "keyword")) == ["d1.txt"]


def test_settings_that_act_at_query_time_leave_the_index_alone(ws: Workspace) -> None:
    ws.write("a.txt", LONG)
    generation = ws.ingest()["generation"]
    ws.configure({
        "retrieval": {"k": 3, "pool_vector": 50, "fusion": "rrf"},
        "synthesis": {"temperature": 0.9},
        "embedding": {"batch": 4},
    })  # fmt: skip
    report = ws.ingest()
    assert (report["generation"], report["embedded"]) == (generation, 0)
    assert ws.status()["settings"]["differing"] in ({}, [])


def test_a_rebuild_uses_remembered_embeddings_unless_told_to_forget(ws: Workspace, stub: Stub) -> None:
    ws.write("a.txt", LONG)
    first = ws.ingest()
    again = ws.ingest("--rebuild")
    assert (again["embedded"], again["chunks"]["total"]) == (0, first["chunks"]["total"])
    stub.forget()
    anew = ws.ingest("--rebuild", "--forget")
    assert anew["embedded"] == first["embedded"] == len(stub.embedded)


def test_the_old_generation_answers_while_a_rebuild_runs(ws: Workspace, stub: Stub) -> None:
    ws.write_all({"a.txt": "lonely pelican", "b.txt": "garden notes"})
    old = ws.ingest()["generation"]
    gate = stub.hold("embed")
    running = ws.start("ingest", "--rebuild", "--forget", "--json")
    gate.wait_reached()
    answer = ws.search("pelican", "--mode", "keyword")
    assert (paths(answer), answer["generations"]) == (["a.txt"], {"notes": old})
    gate.release()
    running.wait().expect(0)
    assert ws.search("pelican", "--mode", "keyword")["generations"]["notes"] > old


def test_status_shows_the_settings_in_force(ws: Workspace) -> None:
    ws.configure({"chunking": {"size": 111}})
    ws.write("a.txt", LONG)
    ws.ingest()
    in_force = json.dumps(ws.status()["settings"]["in_force"])
    assert "111" in in_force
    assert "stub-embed" in in_force or "stubembed" in in_force
