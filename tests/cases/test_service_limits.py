from __future__ import annotations

import pytest

from tests.support.faults import Fault, after, always, every, throttled
from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths


@pytest.fixture(autouse=True)
def served_by_the_openai_protocol(ws: Workspace) -> None:
    """Every embedding of these tests goes to `/v1/embeddings`."""
    ws.configure({"models": {"stubembed": {"provider": "openai-compatible", "base_url": ws.stub.v1}}})


def _thirty(ws: Workspace) -> None:
    ws.write_all({f"f{n:02}.txt": f"pelican number {n}" for n in range(30)})


def test_a_rate_limit_now_and_then_is_waited_for(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 5}})
    _thirty(ws)
    stub.rule("embed", every(4, throttled(1)))
    report = ws.ingest(timeout=120)
    assert (report["files"]["added"], report["embedded"]) == (30, 30)
    throttled_texts = [text for seen in stub.requests("embed") if not seen.answered for text in seen.texts]
    assert len(stub.embedded) == 30 + len(throttled_texts), "only refused requests are sent again"


def test_a_rate_limit_for_ever_ends_in_bounded_time_and_keeps_what_is_done(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 5}})
    _thirty(ws)
    stub.rule("embed", after(3, throttled(1)))
    result = ws.run("ingest", "--json", timeout=240).expect(1, 3)
    paid = {text for seen in stub.requests("embed") if seen.answered for text in seen.texts}
    assert len(stub.requests("embed")) < 40
    status = ws.run("status", "--json").expect(0, 1, 3)
    if result.code == 3:
        counts = status.json["collections"][0]["files"]
        assert counts["indexed"] + counts["pending"] == 30
        assert counts["indexed"] > 0
        assert ws.search("pelican", "--mode", "keyword")["hits"]
    stub.calm()
    stub.forget()
    ws.ingest()
    assert not paid & set(stub.embedded)
    assert ws.status()["files"]["indexed"] == 30


def test_one_poisonous_text_fails_its_file_only_and_is_tried_again_alone(ws: Workspace, stub: Stub) -> None:
    stub.poison = "POISON"
    ws.write_all({f"f{n}.txt": f"pelican number {n}" + (" POISON" if n == 4 else "") for n in range(10)})
    report = ws.ingest(code=3)
    assert (report["files"]["added"], report["files"]["failed"]) == (9, 1)
    assert [problem["path"] for problem in report["problems"]] == ["f4.txt"]
    assert len(paths(ws.search("pelican", "--mode", "keyword"))) == 9
    stub.forget()
    ws.ingest(code=3)
    assert set(stub.embedded) == {"pelican number 4 POISON"}
    stub.poison = None
    assert ws.ingest(code=0)["files"]["failed"] == 0
    assert ws.status()["files"]["indexed"] == 10


def test_a_poisonous_edit_keeps_the_last_good_version(ws: Workspace, stub: Stub) -> None:
    stub.poison = "POISON"
    ws.write_all({"a.txt": "pelican old wording", "b.txt": "garden notes"})
    ws.ingest()
    ws.write("a.txt", "pelican POISON wording")
    ws.ingest(code=3)
    assert ws.search("pelican", "--mode", "keyword")["hits"][0]["text"] == "pelican old wording"


@pytest.mark.parametrize("fault", ["nan", "zero", "short"])
def test_a_useless_vector_fails_its_file_only(ws: Workspace, stub: Stub, fault: str) -> None:
    stub.vector_faults = {"weird": fault}
    ws.write_all({"a.txt": "weird pelican", **{f"b{n}.txt": f"plain pelican {n}" for n in range(3)}})
    report = ws.ingest(code=3)
    assert (report["files"]["added"], report["files"]["failed"]) == (3, 1)
    assert report["problems"][0]["path"] == "a.txt"
    result = ws.run("search", "pelican", "--json").expect(0)
    assert "NaN" not in result.stdout
    assert sorted(paths(result.json)) == ["b0.txt", "b1.txt", "b2.txt"]


def test_a_useless_vector_for_the_question_is_told(ws: Workspace, stub: Stub) -> None:
    ws.write("a.txt", "plain pelican")
    ws.ingest()
    stub.vector_faults = {"weird": "nan"}
    result = ws.run("search", "weird pelican", "--json").expect(0, 1, 3)
    assert "NaN" not in result.stdout
    if result.code == 0:
        assert result.json["notes"]


def test_an_embedder_that_gives_useless_vectors_only_is_said_to_and_not_to_be_out_of_reach(
    ws: Workspace, stub: Stub
) -> None:
    stub.vector_faults = {"": "nan"}
    _thirty(ws)
    said = ws.run("ingest").expect(1).said
    assert "no finite number" in said
    assert "could not be reached" not in said


def test_an_embedder_that_is_down_fails_the_run_and_names_the_address(ws: Workspace) -> None:
    with Stub() as gone:
        address = gone.v1
    _thirty(ws)
    ws.configure({"models": {"stubembed": {"base_url": address}}})
    result = ws.run("ingest", timeout=120).expect(1)
    assert address.split("/")[2] in result.said
    assert "ingest" in ws.run("search", "pelican", "--mode", "keyword").expect(1).said, "no index, not an empty one"
    assert ws.status()["files"]["pending"] == 30
    ws.configure({"models": {"stubembed": {"base_url": ws.stub.v1}}})
    assert ws.ingest()["files"]["added"] == 30


def test_an_embedder_that_goes_down_half_way_keeps_whole_files(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 5}})
    _thirty(ws)
    stub.rule("embed", after(3, Fault(503, "going down", headers={"Retry-After": "1"})))
    ws.run("ingest", "--json", timeout=240).expect(1, 3)
    paid = {text for seen in stub.requests("embed") if seen.answered for text in seen.texts}
    stub.calm()
    stub.forget()
    ws.run("ingest", timeout=120).expect(0)
    assert not paid & set(stub.embedded)
    assert ws.status()["files"]["indexed"] == 30


def test_keyword_search_works_while_the_embedder_is_down(ws: Workspace, stub: Stub) -> None:
    _thirty(ws)
    ws.ingest()
    stub.rule("embed", always(Fault(500, "no")))
    assert len(ws.search("pelican", "--mode", "keyword", "-k", "30", "--per-source", "0")["hits"]) == 30


def test_a_missing_embedding_model_is_named(ws: Workspace, stub: Stub) -> None:
    stub.missing = {"stub-embed"}
    ws.write("a.txt", "plain pelican")
    result = ws.run("ingest").expect(1, 2)
    assert "stub-embed" in result.said
