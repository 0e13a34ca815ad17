from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.embed import Embedder, load_embedder
from tasks.embed_server import PROBE, ServedBackend
from tasks.embedded import Unreachable
from tasks.models import embedding_spec
from tasks.patience import malformed, refusal
from tests.unit.embedding_server import Sleeps, backend, config, embed, failing, good, rows, vector
from tests.unit.small_server import Reply, serving


def test_batches_are_sent_with_the_document_prefix_and_come_back_as_unit_rows() -> None:
    with serving(good) as server:
        found = load_embedder(config(server, "nomic-embed-text"))
        result = found.embed([f"text {i}" for i in range(5)])
        query = found.embed_query("text 1")
        found.close()
    assert [len(texts) for texts in server.inputs] == [4, 1, 1]
    assert server.inputs[0][0] == "search_document: text 0"
    assert server.inputs[2] == ["search_query: text 1"]
    assert numpy.linalg.norm(result, axis=1) == pytest.approx(1)
    assert query.dtype == result.dtype == numpy.float32


def test_vectors_are_placed_by_their_number() -> None:
    def backwards(path: str, body: dict[str, Any]) -> Reply:
        reply = good(path, body)
        reply.value["data"].reverse()
        return reply

    assert numpy.array_equal(embed(backwards, ["a", "bbb"])[0].vectors[1], embed(good, ["bbb"])[0].vectors[0])


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_bad_text_is_isolated_and_the_others_are_embedded(status: int) -> None:
    answer = failing(
        lambda texts: any("POISON" in text for text in texts), Reply(status, {"error": {"message": "no such luck"}})
    )
    texts = ["a", "b", "POISON", "d", "e", "f"]
    result, _ = embed(answer, texts)
    assert sorted(result.vectors) == [0, 1, 3, 4, 5]
    assert result.unreachable is None
    assert list(result.refused) == [2]
    assert str(status) in result.refused[2]
    assert "no such luck" in result.refused[2]


def test_a_text_that_fails_once_only_is_not_refused() -> None:
    failures = iter([True, True])
    result, server = embed(failing(lambda _texts: next(failures, False), Reply(500)), ["a"])
    assert result.refused == {0: "the server answered 500"}
    assert len(server.requests) == 2
    failures = iter([True])
    assert embed(failing(lambda _texts: next(failures, False), Reply(500)), ["a"])[0].refused == {}


def test_many_bad_texts_in_a_row_do_not_stop_the_others() -> None:
    answer = failing(lambda texts: any("POISON" in text for text in texts), Reply(500))
    texts = [f"POISON {i}" for i in range(7)] + ["fine"]
    result, server = embed(answer, texts)
    assert sorted(result.refused) == list(range(7))
    assert sorted(result.vectors) == [7]
    assert result.unreachable is None
    assert [PROBE] in server.inputs


def test_a_server_that_fails_whatever_it_is_sent_is_unreachable_and_blames_no_text() -> None:
    texts = ["early", *(f"late {i}" for i in range(9))]
    seen: list[str] = []

    def dies(path: str, body: dict[str, Any]) -> Reply:
        seen.extend(body["input"])
        return good(path, body) if body["input"][0] == "early" and len(seen) == 4 else Reply(500)

    result, server = embed(dies, texts)
    assert sorted(result.vectors) == [0, 1, 2, 3]
    assert result.refused == {}
    assert server.url in str(result.unreachable)
    assert len(server.requests) < 20


def test_a_bad_text_alone_in_a_call_costs_no_other_text() -> None:
    result, server = embed(lambda _path, _body: Reply(500), ["POISON"])
    assert list(result.refused) == [0]
    assert {text for texts in server.inputs for text in texts} == {"POISON"}


def test_a_blank_text_is_never_sent() -> None:
    result, server = embed(good, ["a", "", " \n", "b"])
    assert server.inputs == [["a", "b"]]
    assert sorted(result.refused) == [1, 2]
    assert embed(good, [" "])[1].requests == []


@pytest.mark.parametrize(
    "bad",
    [[float("nan"), 1.0, 1.0], [float("inf"), 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0], [], None, "AAAA", [None] * 3],
)
def test_a_vector_that_is_none_refuses_its_text_only(bad: Any) -> None:
    def answer(_path: str, body: dict[str, Any]) -> Reply:
        return rows([bad if text == "odd" else vector(text) for text in body["input"]])

    result, _ = embed(answer, ["a", "odd", "b"])
    assert sorted(result.vectors) == [0, 2]
    assert list(result.refused) == [1]
    assert result.refused[1]


def test_too_few_vectors_are_never_matched_to_the_wrong_texts() -> None:
    def forgets(path: str, body: dict[str, Any]) -> Reply:
        reply = good(path, body)
        if len(body["input"]) > 1:
            reply.value["data"].pop(0)
        return reply

    result, _ = embed(forgets, ["a", "bb", "ccc"])
    assert numpy.array_equal(result.vectors[2], embed(good, ["ccc"])[0].vectors[0])
    assert len(result.vectors) == 3


@pytest.mark.parametrize("value", [b"<html>", b"", b"[1]", {"data": None}, {"data": ["x"]}, {"error": "soft"}, b"\xff"])
def test_an_answer_that_is_no_embedding_is_a_reason_and_no_traceback(value: Any) -> None:
    result, _ = embed(lambda _path, _body: Reply(value=value), ["a"])
    assert result.vectors == {}
    assert result.refused[0]


def test_a_busy_server_is_waited_for_as_long_as_it_says() -> None:
    busy = iter([True, False, True])
    sleeps = Sleeps()
    answer = failing(lambda _texts: next(busy, False), Reply(429, {}, {"Retry-After": "1"}))
    result, _ = embed(answer, [str(i) for i in range(9)], sleeps)
    assert len(result.vectors) == 9
    assert sleeps == [1.0, 1.0]


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_stays_busy_ends_the_call_and_keeps_what_was_paid_for(status: int) -> None:
    sleeps = Sleeps()
    result, server = embed(failing(lambda texts: "5" in texts, Reply(status)), [str(i) for i in range(12)], sleeps)
    assert sorted(result.vectors) == [0, 1, 2, 3]
    assert result.refused == {}
    assert str(status) in str(result.unreachable)
    assert len(server.requests) == 5
    assert 0 < sum(sleeps) < 30


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    for after in ("3600", format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)):
        sleeps = Sleeps()
        headers = {"Retry-After": after}
        result, server = embed(lambda _path, _body, headers=headers: Reply(429, {}, headers), ["a"], sleeps)  # type: ignore[misc]
        assert result.unreachable is not None
        assert (sleeps, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("after", ["nonsense", "-5", "", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_strange_retry_after_does_no_harm(after: str) -> None:
    busy = iter([True])
    result, _ = embed(failing(lambda _texts: next(busy, False), Reply(429, {}, {"Retry-After": after})), ["a"])
    assert len(result.vectors) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 307])
def test_a_server_that_will_not_serve_is_unreachable_at_once_with_its_words(status: int) -> None:
    headers = {"Location": "http://127.0.0.1:9/"}
    result, server = embed(lambda _path, _body: Reply(status, {"error": "go away"}, headers), ["a", "b"])
    assert str(status) in str(result.unreachable)
    assert "go away" in str(result.unreachable)
    assert len(server.requests) == 1


def test_no_server_and_no_answer_in_time_are_different_sentences() -> None:
    with serving(good) as server:
        gone = config(server)
    said = backend(gone).documents(["a"]).unreachable
    assert said is not None
    assert "no connection" in said
    assert server.url in said
    with serving(lambda _path, _body: Reply(hang=True)) as server:
        started = time.monotonic()
        found = backend(config(server, timeout_seconds=0.2))
        assert "0.2 seconds" in str(found.documents(["a", "b"]).unreachable)
        with pytest.raises(Unreachable):
            Embedder(found.spec, found).embed_query("a")
        assert time.monotonic() - started < 30


def test_llama_index_gets_the_same_vectors() -> None:
    with serving(good) as server:
        found = load_embedder(config(server))
        assert found.base.get_text_embedding_batch(["a", "bb"]) == found.embed(["a", "bb"]).tolist()
        assert found.base.get_query_embedding("a") == found.embed_query("a").tolist()


class Pretend:
    """A client without a network; texts that start with `bad` fail."""

    def __init__(self, bad: str = "!") -> None:
        self.bad = bad
        self.sent: list[list[str]] = []

    def send(self, texts: Sequence[str]) -> list[Any]:
        self.sent.append(list(texts))
        if any(text.startswith(self.bad) for text in texts):
            raise refusal(500, "no") if len(texts) % 2 else malformed("no")
        return [vector(text) for text in texts]

    def close(self) -> None:
        """Nothing to close."""


def pretended(client: Pretend, batch: int = 4, **more: Any) -> ServedBackend:
    spec = dataclasses.replace(embedding_spec(config("http://127.0.0.1:1/v1")), **more)
    return ServedBackend(spec, client, batch, "http://127.0.0.1:1", Sleeps())


@settings(deadline=None)
@given(st.lists(st.sampled_from(["!", " ", "a", "bb", "ccc"]), max_size=24), st.integers(1, 9))
def test_every_text_is_embedded_or_refused_whatever_stands_beside_it(kinds: list[str], batch: int) -> None:
    texts = [kind + str(i) if kind.strip() else kind for i, kind in enumerate(kinds)]
    result = pretended(Pretend(), batch).documents(texts)
    bad = {i for i, kind in enumerate(kinds) if kind in ("!", " ")}
    assert set(result.refused) == bad
    assert set(result.vectors) == set(range(len(kinds))) - bad
    for i, row in result.vectors.items():
        assert row[0] / row[1] == pytest.approx(len(texts[i]))


WINDOWED = pretended(Pretend())


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab c\n標é🙂-"), max_size=400), st.integers(16, 64))
def test_no_input_is_longer_than_the_window_and_a_short_one_is_untouched(text: str, window: int) -> None:
    WINDOWED.spec = dataclasses.replace(WINDOWED.spec, window=window)
    found, cut = WINDOWED, WINDOWED.cut(text)
    assert text.startswith(cut)
    assert len(found.tokenize(cut)) <= window - 2
    assert cut == text or len(found.tokenize(text)) > window - 2


def test_a_long_query_is_cut_before_it_is_sent() -> None:
    client = Pretend()
    found = Embedder(pretended(client).spec, pretended(client))
    found.embed_query("pelican " * 3000)
    assert 0 < len(client.sent[0][0].split()) <= 510
    assert not found.query_fits("pelican " * 3000)


def test_words_without_an_end_are_counted_by_their_length() -> None:
    assert pretended(Pretend()).tokenize("x" * 10_000) != []
    assert len(pretended(Pretend()).tokenize("x" * 10_000)) > 400
