"""Rerankers behind a server: what is sent, what is read, and that the key stays where it belongs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks.models import RerankConfig
from tasks.rerank import Reranker, load_reranker
from tasks.rerank_server import ServedScorer, endpoint, log_odds
from tasks.scoring import RerankFailed
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.unit.small_server import Answer, Reply, SmallServer, serving
from wherein.cli.program import run


def relevance(scores: dict[str, float]) -> Answer:
    def answer(_path: str, body: dict[str, Any]) -> Reply:
        rows = [{"index": i, "relevance_score": scores[text]} for i, text in enumerate(body["documents"])]
        return Reply(value={"results": sorted(rows, key=lambda row: -float(row["relevance_score"]))})

    return answer


def cohere(rows: list[dict[str, Any]], _body: dict[str, Any]) -> Any:
    billed = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
    return {"id": "07734bd2", "results": rows, "meta": billed}


def jina(rows: list[dict[str, Any]], body: dict[str, Any]) -> Any:
    documents = body["documents"]
    results = [{**row, "document": {"text": documents[row["index"]]}} for row in rows]
    return {"model": body["model"], "object": "list", "usage": {"total_tokens": 9}, "results": results}


def infinity(rows: list[dict[str, Any]], body: dict[str, Any]) -> Any:
    results = [{"relevance_score": row["relevance_score"], "index": row["index"], "document": None} for row in rows]
    usage = {"prompt_tokens": 9, "total_tokens": 9}
    return {"object": "rerank", "results": results, "model": body["model"], "usage": usage, "id": "i", "created": 1}


SHAPES = [(cohere, "/v2/rerank"), (jina, "/v1/rerank"), (infinity, "/rerank")]
SECRET = "sk-of-the-test"
TRANSPORT = frozenset({"host", "accept", "accept-encoding", "connection", "content-length"})
KEYED = {"api_key_env": "RERANK_KEY_OF_THE_TEST"}


@pytest.mark.parametrize(("shape", "path"), SHAPES)
def test_answers_in_the_shapes_of_cohere_jina_and_infinity_are_read_and_asked_with_the_key(
    monkeypatch: pytest.MonkeyPatch, shape: Any, path: str
) -> None:
    scores = {"a": 0.2, "b": 0.9, "c": 0.5}

    def answer(_path: str, body: dict[str, Any]) -> Reply:
        rows = [{"index": i, "relevance_score": scores[text]} for i, text in enumerate(body["documents"])]
        return Reply(value=shape(sorted(rows, key=lambda row: -float(row["relevance_score"])), body))

    monkeypatch.setenv(KEYED["api_key_env"], f" {SECRET}\n")
    with serving(answer) as server:
        config = RerankConfig("m", base_url=server.url + path, **KEYED)
        found = load_reranker(config).score("q", ["a", "b", "c"])
    assert [1 / (1 + math.exp(-logit)) for logit in found] == pytest.approx([0.2, 0.9, 0.5])
    ((sent_to, headers, body),) = server.requests
    assert (sent_to, body) == (path, {"model": "m", "query": "q", "documents": ["a", "b", "c"]})
    assert {name: headers[name] for name in headers if name not in TRANSPORT} == {
        "authorization": f"Bearer {SECRET}",
        "content-type": "application/json",
        "user-agent": "wherein",
    }


@pytest.mark.parametrize("held", [None, "", "  ", "sk-é", "sk\nx"])
def test_a_key_that_is_not_there_is_asked_for_by_setting_and_variable_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, held: str | None
) -> None:
    monkeypatch.delenv(KEYED["api_key_env"], raising=False)
    if held is not None:
        monkeypatch.setenv(KEYED["api_key_env"], held)
    with pytest.raises(WhereinError) as caught:
        load_reranker(RerankConfig("m", base_url="http://127.0.0.1:9", **KEYED))
    assert (caught.value.code, caught.value.kind) == (USAGE, "key")
    assert "rerank.api_key_env" in caught.value.message
    assert KEYED["api_key_env"] in caught.value.message
    assert "sk" not in caught.value.message


@pytest.mark.parametrize("status", [401, 500])
def test_a_key_that_a_server_echoes_is_not_told(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv(KEYED["api_key_env"], SECRET)
    said = {"message": f"Incorrect API key provided: {SECRET}."}
    with serving(lambda _path, _body: Reply(status, said)) as server, pytest.raises(RerankFailed) as caught:
        load_reranker(RerankConfig("m", base_url=server.url, **KEYED)).score("q", ["a"])
    assert str(status) in caught.value.reason
    assert SECRET not in caught.value.reason


def served(server: SmallServer) -> Reranker:
    return load_reranker(RerankConfig("m", base_url=server.url + "/v1"))


def test_a_served_rerankers_logits_are_taken_as_they_are_and_by_index() -> None:
    with serving(relevance({"a": -3.0, "b": 7.5, "c": 0.5})) as server:
        found = served(server)
        assert found.score("q", ["a", "b", "c"]) == [-3.0, 7.5, 0.5]
    path, headers, body = server.requests[0]
    assert path == "/v1/rerank"
    assert body == {"model": "m", "query": "q", "documents": ["a", "b", "c"]}
    assert "authorization" not in headers


def test_a_served_rerankers_probabilities_become_logits() -> None:
    with serving(relevance({"a": 0.5, "b": 1.0, "c": 0.0})) as server:
        low, high, none = served(server).score("q", ["a", "b", "c"])
    assert low == 0.0
    assert high == pytest.approx(-none)
    assert high > 10


def test_a_server_that_answered_logits_once_answers_logits_always() -> None:
    with serving(relevance({"a": 0.5, "b": -4.0})) as server:
        found = served(server)
        found.score("q", ["b"])
        assert found.score("q", ["a"]) == [0.5]


@given(st.floats(0.001, 0.999))
def test_log_odds_are_what_the_sigmoid_undoes(probability: float) -> None:
    assert 1 / (1 + math.exp(-log_odds(probability))) == pytest.approx(probability)


JUNK: list[Any] = [
    b"<html>",
    [],
    {"results": None},
    {"results": []},
    {"results": [{"index": 0}]},
    {"results": [{"index": 5, "relevance_score": 1.0}]},
    {"results": [{"index": 0, "relevance_score": 1.0}] * 2},
    b'{"results": [{"index": 0, "relevance_score": NaN}]}',
]


@pytest.mark.parametrize(
    "reply", [Reply(500), Reply(404), Reply(307, headers={"Location": "/x"}), *map(Reply, [200] * len(JUNK), JUNK)]
)
def test_a_served_reranker_that_fails_is_a_failed_rerank(reply: Reply) -> None:
    with serving(lambda _path, _body: reply) as server, pytest.raises(RerankFailed):
        served(server).score("q", ["a"])


def test_a_busy_reranker_is_asked_once_more_and_a_missing_one_is_named() -> None:
    busy = iter([True])
    answer = relevance({"a": 2.0})
    sleeps: list[float] = []
    with serving(lambda path, body: Reply(503) if next(busy, False) else answer(path, body)) as server:
        scorer = ServedScorer(RerankConfig("m", base_url=server.url), sleeps.append)
        assert scorer.logits("q", ["a"]) == [2.0]
    assert sleeps == [1.0]
    with pytest.raises(RerankFailed) as caught:
        scorer.logits("q", ["a"])
    assert server.url in caught.value.reason


def test_the_address_of_a_served_reranker_may_be_given_in_three_ways() -> None:
    wanted = "http://127.0.0.1:8080/v1/rerank"
    for given_url in ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/rerank"):
        assert endpoint(given_url) == wanted
    with pytest.raises(WhereinError) as caught:
        load_reranker(RerankConfig("m", base_url="nowhere"))
    assert caught.value.code == USAGE
    assert "rerank.base_url" in caught.value.message


COMMANDS = (
    ("search", "bee cod"),
    ("search", "bee cod", "--json", "-v"),
    ("models",),
    ("doctor",),
    ("status", "--json"),
)


def test_a_rerankers_key_is_sent_and_appears_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, HashedWords())
    monkeypatch.setenv(KEYED["api_key_env"], SECRET)
    folder = Folder(tmp_path)
    folder.write("a.txt", b"ale bee cod")
    folder.ingest()
    with serving(relevance({"ale bee cod": 0.5})) as server:
        settings = f'enabled = true\nmodel = "m"\nbase_url = "{server.url}"\napi_key_env = "{KEYED["api_key_env"]}"'
        file = tmp_path / "wherein.toml"
        file.write_text(file.read_text(encoding="utf-8").replace("enabled = false", settings), encoding="utf-8")
        codes = [run([*command, "--workspace", str(tmp_path)]) for command in COMMANDS]
    assert codes == [0] * len(COMMANDS)
    assert [headers["authorization"] for _, headers, _ in server.requests] == [f"Bearer {SECRET}"]
    said = "".join(capfd.readouterr())
    monkeypatch.delenv(KEYED["api_key_env"])
    assert run(["doctor", "--workspace", str(tmp_path)]) == 1
    assert KEYED["api_key_env"] in capfd.readouterr().out
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "bee cod" in said
    assert SECRET not in said
    assert SECRET.encode() not in written
