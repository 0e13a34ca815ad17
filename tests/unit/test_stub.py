from __future__ import annotations

import json
import math
import threading
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import httpx
import ollama
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import toml
from tests.support.faults import Fault, after, always, every, only_for, throttled
from tests.support.stub import Stub
from tests.support.vectors import bag, cosine

ASK: Any = [{"role": "user", "content": "where is the kettle"}]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as server:
        yield server


def _openai(stub: Stub) -> openai.OpenAI:
    return openai.OpenAI(base_url=stub.v1, api_key="none", max_retries=0, timeout=10)


def _ollama(stub: Stub) -> ollama.Client:
    return ollama.Client(host=stub.url, timeout=10)


def _chat(stub: Stub, **more: Any) -> Any:
    return _openai(stub).chat.completions.create(model="m", messages=ASK, **more)


def test_shared_words_mean_nearness() -> None:
    query = bag("red kettle", 512)
    assert cosine(query, bag("a red kettle", 512)) > cosine(query, bag("a kettle", 512))
    assert cosine(query, bag("nothing alike", 512)) == 0


def test_only_the_first_words_count_when_told_so() -> None:
    assert bag("one two three", 64, first_words=2) == bag("one two", 64)


@given(st.text())
def test_every_text_has_a_unit_vector_that_ignores_case(text: str) -> None:
    vector = bag(text, 32)
    assert math.isclose(sum(value * value for value in vector), 1.0)
    assert bag("straw " + text, 32) == bag("STRAW " + text, 32)


def test_openai_client_gets_a_whole_answer_with_usage(stub: Stub) -> None:
    stub.answers["m"] = "On the hob [1]."
    stub.usage = (77, 5)
    reply = _chat(stub, temperature=0, seed=3)
    assert reply.choices[0].message.content == "On the hob [1]."
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (77, 5)
    assert stub.chats[0].body["temperature"] == 0


def test_openai_client_gets_a_stream_with_usage_only_if_asked(stub: Stub) -> None:
    stub.default_answer = lambda body: f"you asked: {body['messages'][0]['content']}"
    chunks = list(_chat(stub, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "you asked: where is the kettle"
    assert chunks[-1].usage.completion_tokens > 0
    assert all(chunk.usage is None for chunk in _chat(stub, stream=True))


def test_openai_client_gets_vectors_as_base64_and_as_numbers(stub: Stub) -> None:
    stub.dims["small"] = 8
    make = _openai(stub).embeddings.create
    packed = make(model="small", input=["red kettle", "blue pot"]).data
    plain = make(model="small", input=["red kettle", "blue pot"], encoding_format="float").data
    for left, right in zip(packed, plain, strict=True):
        assert left.embedding == pytest.approx(right.embedding, abs=1e-6)
    assert len(plain[0].embedding) == 8
    assert stub.embedded == ["red kettle", "blue pot"] * 2


def test_openai_client_lists_models(stub: Stub) -> None:
    assert [model.id for model in _openai(stub).models.list()] == ["stub-chat", "stub-embed"]


def test_ollama_client_gets_whole_and_streamed_answers(stub: Stub) -> None:
    stub.answers["m"] = "On the hob [1]."
    whole = _ollama(stub).chat(model="m", messages=ASK, options={"num_ctx": 2048})
    parts = list(_ollama(stub).chat(model="m", messages=ASK, stream=True))
    assert whole.message.content == "On the hob [1]." == "".join(part.message.content or "" for part in parts)
    assert (whole.prompt_eval_count or 0) > 0
    assert parts[-1].done
    assert stub.chats[0].body["options"]["num_ctx"] == 2048


def test_ollama_client_can_list_show_and_embed(stub: Stub) -> None:
    client = _ollama(stub)
    assert [model.model for model in client.list().models] == ["stub-chat:latest", "stub-embed:latest"]
    assert (client.show("stub-chat").modelinfo or {})["stub.context_length"] == 131072
    assert client.embed(model="m", input=["red kettle"]).embeddings[0] == pytest.approx(
        bag("red kettle", stub.default_dim)
    )


def test_a_missing_model_is_404_in_both_protocols(stub: Stub) -> None:
    stub.missing = {"m"}
    with pytest.raises(openai.NotFoundError, match="not found"):
        _chat(stub)
    with pytest.raises(ollama.ResponseError, match="not found") as error:
        _ollama(stub).chat(model="m", messages=ASK)
    assert error.value.status_code == 404


def test_a_refused_parameter_is_named_and_the_default_passes(stub: Stub) -> None:
    stub.refused_parameters["m"] = {"temperature"}
    with pytest.raises(openai.BadRequestError, match="temperature' does not support 0"):
        _chat(stub, temperature=0)
    assert _chat(stub, temperature=1).choices
    assert _chat(stub).choices


def test_a_prompt_over_the_window_is_refused(stub: Stub) -> None:
    stub.context_tokens["m"] = 3
    with pytest.raises(openai.BadRequestError, match="maximum context length is 3"):
        _chat(stub)


def test_every_nth_request_is_throttled_with_a_time_to_wait(stub: Stub) -> None:
    stub.rule("chat", every(2, throttled(7)))
    assert _chat(stub).choices
    with pytest.raises(openai.RateLimitError) as error:
        _chat(stub)
    assert error.value.response.headers["Retry-After"] == "7"
    assert _chat(stub).choices


def test_rules_can_wait_for_a_count_or_pick_a_model(stub: Stub) -> None:
    stub.rule("chat", only_for("other", Fault(500)))
    stub.rule("chat", after(1, Fault(503)))
    assert _chat(stub).choices
    with pytest.raises(openai.InternalServerError) as error:
        _chat(stub)
    assert error.value.status_code == 503
    stub.calm()
    assert _chat(stub).choices


def test_a_hanging_server_runs_into_the_clients_limit(stub: Stub) -> None:
    stub.rule("chat", always(Fault(hang=True)))
    with pytest.raises(openai.APITimeoutError):
        _chat(stub, timeout=0.3)


def test_a_cut_stream_is_an_error_and_not_an_end(stub: Stub) -> None:
    stub.rule("chat", always(Fault(cut_after_pieces=2)))
    with pytest.raises(httpx.RemoteProtocolError):
        list(_ollama(stub).chat(model="m", messages=ASK, stream=True))


def test_a_gate_holds_from_its_request_on_and_lets_go(stub: Stub) -> None:
    gate = stub.hold("chat", first=2)
    assert _chat(stub).choices
    replies: list[Any] = []
    thread = threading.Thread(target=lambda: replies.append(_chat(stub)))
    thread.start()
    gate.wait_reached(10)
    assert replies == []
    gate.release()
    thread.join(10)
    assert len(replies) == 1


def test_poison_and_blank_inputs_fail_the_whole_request(stub: Stub) -> None:
    stub.poison, stub.refuse_blank = "POISON", True
    make = _openai(stub).embeddings.create
    for bad in ("a POISON b", " \n"):
        with pytest.raises(openai.InternalServerError):
            make(model="m", input=["fine", bad])
    assert make(model="m", input=["fine"]).data


def test_vectors_can_be_spoilt_by_a_word(stub: Stub) -> None:
    stub.vector_faults = {"weird": "nan", "void": "zero", "stub": "short"}
    make = _openai(stub).embeddings.create
    weird, void, short = (row.embedding for row in make(model="m", input=["weird", "void", "stub"]).data)
    assert all(math.isnan(value) for value in weird)
    assert set(void) == {0.0}
    assert len(short) == stub.default_dim - 1


def test_a_served_reranker_gives_scores_best_first(stub: Stub) -> None:
    body = {"model": "r", "query": "red kettle", "documents": ["blue pot", "red kettle"]}
    request = urllib.request.Request(
        f"{stub.v1}/rerank", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        rows = json.load(reply)["results"]
    assert [row["index"] for row in rows] == [1, 0]
    assert rows[0]["relevance_score"] > rows[1]["relevance_score"]


def test_an_unknown_path_is_404(stub: Stub) -> None:
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{stub.url}/api/nonsense", timeout=10)


def test_settings_survive_being_written_as_toml() -> None:
    table: dict[str, Any] = {
        "a": {"x": 1, "odd/name:7b v2": {"é": 'ü "q" \\ \n😀', "f": 0.5, "l": ["a", True]}},
        "b": {"c": {"d": False}},
    }
    assert tomllib.loads(toml.dumps(table)) == table
    assert toml.merged(table, {"a": {"x": 2}})["a"]["odd/name:7b v2"] == table["a"]["odd/name:7b v2"]
