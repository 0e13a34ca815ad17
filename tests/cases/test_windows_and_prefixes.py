from __future__ import annotations

import json

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace

BGE_QUERY = "Represent this sentence for searching relevant passages: "


def test_the_last_sentence_of_a_long_file_is_searchable_by_meaning(ws: Workspace, stub: Stub) -> None:
    stub.first_words = 256
    ws.configure({"embedding": {"window": 256}})
    body = " ".join(f"Sentence {n} speaks of thing{n} and place{n} today." for n in range(110))
    ws.write("long.txt", body + " The gantry code 7 is on the last page.")
    ws.write("other.txt", "garden notes")
    ws.ingest()
    hit = ws.search("gantry code", "--mode", "vector")["hits"][0]
    assert "gantry code 7" in hit["text"]
    assert max(len(text.split()) for text in stub.embedded) <= 256


def test_a_chunk_size_over_the_window_is_refused_or_clamped_with_a_warning(ws: Workspace, stub: Stub) -> None:
    ws.configure({"chunking": {"size": 1024}})
    ws.write("long.txt", " ".join(f"word{n}" for n in range(3000)))
    result = ws.run("ingest").expect(0, 1, 2)
    assert "window" in result.said or "chunking.size" in result.said
    assert all(len(text.split()) <= 512 for text in stub.embedded)


def test_chunks_longer_than_the_reranker_reads_are_told_of(ws: Workspace) -> None:
    ws.configure({"embedding": {"window": 2048}, "chunking": {"size": 1024}, "rerank": {"enabled": True}})
    ws.write("a.txt", "lonely pelican")
    said = ws.run("ingest").expect(0).said
    assert "reads 512" in said
    assert "chunking.size" in said
    ws.configure({"rerank": {"enabled": False}})
    assert "reads 512" not in ws.run("ingest").expect(0).said


def test_no_input_is_longer_than_the_window_even_without_spaces(ws: Workspace, stub: Stub) -> None:
    ws.write_all({"one.txt": "x" * 30_000, "two.txt": "word " * 5_000, "three.txt": "標準化に関する動向" * 800})
    ws.ingest()
    assert max(len(text.split()) for text in stub.embedded) <= 512
    assert max(len(text) for text in stub.embedded) < 10_000


@pytest.mark.parametrize(
    ("model", "query_prefix", "document_prefix"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("multilingual-e5-small", "query: ", "passage: "),
        ("bge-base-en-v1.5", BGE_QUERY, ""),
    ],
)
def test_known_models_get_their_prefixes(
    ws: Workspace, stub: Stub, model: str, query_prefix: str, document_prefix: str
) -> None:
    ws.add_model("known", model)
    ws.configure({"embedding": {"model": "known"}})
    ws.write("a.txt", "lonely pelican")
    ws.ingest()
    assert stub.embedded == [document_prefix + "lonely pelican"]
    stub.forget()
    ws.search("where is it", "--mode", "vector")
    assert stub.embedded == [query_prefix + "where is it"]
    assert query_prefix.strip() in json.dumps(ws.status()["settings"]["in_force"])


def test_set_prefixes_are_sent_shown_and_part_of_the_index(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"query_prefix": "Q> ", "document_prefix": "D> "}})
    ws.write("a.txt", "lonely pelican")
    ws.ingest()
    assert stub.embedded == ["D> lonely pelican"]
    hit = ws.search("where is it", "--mode", "vector")["hits"][0]
    assert stub.embedded[-1] == "Q> where is it"
    assert hit["text"] == "lonely pelican"
    in_force = json.dumps(ws.status()["settings"]["in_force"])
    assert "Q> " in in_force
    assert "D> " in in_force
    ws.configure({"embedding": {"document_prefix": "E> "}})
    assert "--rebuild" in ws.run("ingest").expect(1).said


def test_a_model_nobody_knows_gets_no_prefix(ws: Workspace, stub: Stub) -> None:
    ws.write("a.txt", "lonely pelican")
    ws.ingest()
    ws.search("where is it", "--mode", "vector")
    assert stub.embedded == ["lonely pelican", "where is it"]


def test_a_very_long_question_is_cut_to_the_window_with_a_note(ws: Workspace, stub: Stub) -> None:
    ws.write("a.txt", "lonely pelican")
    ws.ingest()
    stub.forget()
    answer = ws.search("pelican " * 3000, "--mode", "vector")
    assert max(len(text.split()) for text in stub.embedded) <= 512
    assert answer["notes"]
