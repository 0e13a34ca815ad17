from __future__ import annotations

import json
from typing import Any

import pytest

from store.errors import WhereinError
from tasks.providers.base import Generation, GenerationFailed
from tasks.synthesise import synthesise
from tests.unit.scripted import Reply, error, events, openai_events, request, scripted, server_config


def answered(*replies: Reply, asked: dict[str, Any] | None = None, **server: Any) -> tuple[Generation, list[Any]]:
    with scripted(*replies) as served:
        config = server_config("openai-compatible", served.url, **server)
        generation = synthesise(config, request(**(asked or {})))
    return generation, served.bodies


def test_the_request_holds_exactly_what_is_set() -> None:
    _, bodies = answered(events("Hi"))
    assert bodies == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
            "stream": True,
            "temperature": 0.3,
            "seed": 7,
            "max_tokens": 64,
            "stream_options": {"include_usage": True},
        }
    ]


def test_zero_is_sent_as_zero() -> None:
    _, (body,) = answered(events("Hi"), asked={"temperature": 0.0, "seed": 0})
    assert (body["temperature"], body["seed"]) == (0.0, 0)


def test_what_is_unset_is_not_sent() -> None:
    _, (body,) = answered(events("Hi"), asked={"temperature": None, "seed": None})
    assert not {"temperature", "seed"} & set(body)


def test_the_answer_streams_and_comes_with_usage_and_its_price() -> None:
    pieces: list[str] = []
    with scripted(events("Blue ", "[1].", usage=(1000, 200))) as served:
        config = server_config("openai-compatible", served.url, price_in=2.0, price_out=10.0)
        generation = synthesise(config, request(), pieces.append)
    assert pieces == ["Blue ", "[1]."]
    assert generation.text == "Blue [1]."
    assert (generation.usage.prompt_tokens, generation.usage.completion_tokens) == (1000, 200)
    assert generation.usage.cost == pytest.approx(0.004)
    assert generation.seconds.load is None


def test_an_answer_that_max_tokens_ended_says_so() -> None:
    generation, _ = answered(events("Blue", finish="length"))
    assert generation.finish_reason == "length"
    assert "synthesis.max_tokens" in generation.notes[0]


def test_a_server_that_does_not_stream_is_understood() -> None:
    body = {"choices": [{"message": {"content": "Blue [1]."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2}}  # fmt: skip
    generation, _ = answered(Reply(200, [json.dumps(body).encode()], "application/json; charset=utf-8"))
    assert (generation.text, generation.usage.prompt_tokens) == ("Blue [1].", 5)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_no_part_of_the_answer(field: str) -> None:
    thought = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
               "choices": [{"index": 0, "delta": {field: "Hm.", "content": None}, "finish_reason": None}]}  # fmt: skip
    chunks = [b"data: " + json.dumps(thought).encode() + b"\n\n", *openai_events("<think>x</think>Blue")]
    generation, _ = answered(Reply(200, chunks, "text/event-stream"))
    assert generation.text == "Blue"


def test_a_model_that_refuses_temperature_and_seed_is_asked_without_them() -> None:
    generation, bodies = answered(
        error(400, "Unsupported value: 'temperature' does not support 0 with this model.", "temperature"),
        error(400, "Unrecognized request argument supplied: seed"),
        events("Blue"),
        asked={"temperature": 0.0},
    )
    assert [sorted({"temperature", "seed"} & set(body)) for body in bodies] == [["seed", "temperature"], ["seed"], []]
    assert (generation.text, generation.controlled) == ("Blue", False)
    assert generation.notes == (
        "mine refuses temperature 0.0 and was asked again without it.",
        "mine refuses seed 7 and was asked again without it.",
    )


def test_max_tokens_is_sent_by_its_newer_name_where_the_server_asks_for_that() -> None:
    refusal = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    generation, bodies = answered(error(400, refusal, "max_tokens"), events("Blue"))
    assert ("max_tokens" in bodies[1], bodies[1]["max_completion_tokens"]) == (False, 64)
    assert generation.controlled
    assert "max_completion_tokens" in generation.notes[0]


def test_a_server_without_stream_options_is_asked_without_them() -> None:
    generation, bodies = answered(error(422, "extra fields not permitted: stream_options"), events("Blue"))
    assert "stream_options" not in bodies[1]
    assert (generation.controlled, len(generation.notes)) == (True, 1)


def test_a_refusal_of_something_else_is_not_repeated() -> None:
    message = "max_tokens is too large: 64. This model supports at most 32 completion tokens."
    with scripted(error(400, message, "max_tokens")) as served:
        with pytest.raises(GenerationFailed, match="max_tokens is too large"):
            synthesise(server_config("openai-compatible", served.url), request())
        assert len(served.bodies) == 1


def test_a_prompt_over_the_servers_window_is_a_server_error_with_its_words() -> None:
    with pytest.raises(GenerationFailed, match=r"HTTP 400\): This model's maximum context length is 512") as failed:
        answered(error(400, "This model's maximum context length is 512 tokens."))
    assert failed.value.kind == "server-error"


def test_a_missing_model_and_a_wrong_path_are_told_apart() -> None:
    with pytest.raises(GenerationFailed, match="has no model m: name one it serves") as failed:
        answered(error(404, "The model `m` does not exist"))
    assert failed.value.kind == "model-missing"
    with pytest.raises(GenerationFailed) as failed:
        answered(error(404, "Not Found"))
    assert failed.value.kind == "server-error"


def test_a_redirect_is_not_followed() -> None:
    with scripted(events("Blue")) as elsewhere:
        with pytest.raises(GenerationFailed, match="HTTP 307") as failed:
            answered(Reply(307, [], headers={"Location": f"{elsewhere.url}/v1/chat/completions"}))
        assert elsewhere.bodies == []
    assert failed.value.kind == "server-error"


def test_nothing_in_the_environment_changes_where_it_goes_or_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET"):
        monkeypatch.setenv(name, "leaked")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: leaked\nAuthorization: Bearer leaked")
    with scripted(events("Hi")) as served:
        synthesise(server_config("openai-compatible", served.url), request())
    (headers,) = served.sent_headers
    assert "leaked" not in str(headers)
    assert set(headers) <= {
        "accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent",
    }  # fmt: skip


def test_the_key_the_settings_name_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    refusal = error(401, "Incorrect API key provided: sk-very-secret.")
    with scripted(refusal) as served, pytest.raises(GenerationFailed, match=r"variable MY_KEY") as failed:
        synthesise(server_config("openai-compatible", served.url, api_key_env="MY_KEY"), request())
    assert served.sent_headers[0]["authorization"] == "Bearer sk-very-secret"
    assert "secret" not in failed.value.message


def test_a_named_key_that_is_not_set_is_asked_for_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(WhereinError, match="MY_KEY"):
        answered(events("Hi"), api_key_env="MY_KEY")


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b'{"choices": [{}]}', b'{"error": {"message": "no"}}'],
)
def test_a_stream_that_is_no_chat_is_a_server_error(data: bytes) -> None:
    with pytest.raises(GenerationFailed) as failed:
        answered(Reply(200, [b"data: " + data + b"\n\n"], "text/event-stream"))
    assert failed.value.kind == "server-error"


def test_user_name_and_password_of_an_address_are_used_and_never_shown() -> None:
    with scripted(error(500, "broken"), events("Hi")) as served:
        address = served.url.replace("//", "//me:pass@")
        config = server_config("openai-compatible", address)
        with pytest.raises(GenerationFailed) as failed:
            synthesise(config, request())
        assert synthesise(config, request()).text == "Hi"
    assert "pass" not in failed.value.message
    assert served.sent_headers[1]["authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"choices": [{"message": {"content": 5}}]}',
    ],
)
def test_an_answer_of_another_shape_is_a_failure_of_the_server(body: str) -> None:
    with pytest.raises(GenerationFailed, match="no chat completion"):
        answered(Reply(200, [body.encode()], "application/json"))
