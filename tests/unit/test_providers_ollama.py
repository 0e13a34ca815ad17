from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.providers.base import Generation, GenerationFailed
from tasks.synthesise import synthesise
from tests.unit.scripted import Reply, ollama_error, ollama_lines, request, scripted, server_config


def answered(*replies: Reply, asked: dict[str, Any] | None = None, **server: Any) -> tuple[Generation, list[Any]]:
    with scripted(*replies) as served:
        generation = synthesise(server_config("ollama", served.url, **server), request(**(asked or {})))
    return generation, served.bodies


def test_the_request_holds_exactly_what_is_set() -> None:
    _, bodies = answered(Reply(chunks=ollama_lines("Hi")))
    assert bodies == [
        {
            "model": "m",
            "stream": True,
            "options": {"num_ctx": 2048, "seed": 7, "num_predict": 64, "temperature": 0.3},
            "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
            "tools": [],
            "keep_alive": "10m",
        }
    ]


@pytest.mark.parametrize(("temperature", "seed"), [(0.0, 0), (1.5, 123), (0, 0)])
def test_zero_is_sent_as_zero(temperature: float, seed: int) -> None:
    _, ((body),) = answered(Reply(chunks=ollama_lines("Hi")), asked={"temperature": temperature, "seed": seed})
    assert (body["options"]["temperature"], body["options"]["seed"]) == (temperature, seed)


def test_what_is_unset_is_not_sent() -> None:
    _, (body,) = answered(Reply(chunks=ollama_lines("Hi")), asked={"temperature": None, "seed": None})
    assert sorted(body["options"]) == ["num_ctx", "num_predict"]


def test_the_same_request_is_the_same_bytes() -> None:
    with scripted(Reply(chunks=ollama_lines("Hi"))) as served:
        for _ in range(2):
            synthesise(server_config("ollama", served.url), request())
    assert served.raw[0] == served.raw[1]


def test_the_answer_streams_and_comes_with_counts_and_seconds() -> None:
    last = {"prompt_eval_count": 12, "eval_count": 3, "load_duration": 2_500_000_000, "total_duration": 1}
    pieces: list[str] = []
    with scripted(Reply(chunks=ollama_lines("Blue ", "sky", " [1].", **last))) as served:
        generation = synthesise(server_config("ollama", served.url), request(), pieces.append)
    assert pieces == ["Blue ", "sky", " [1]."]
    assert generation.text == "Blue sky [1]."
    assert (generation.usage.prompt_tokens, generation.usage.completion_tokens) == (12, 3)
    assert generation.seconds.load == 2.5
    assert generation.seconds.first_token is not None
    assert generation.seconds.first_token <= generation.seconds.total
    assert (generation.controlled, generation.notes, generation.finish_reason) == (True, (), "stop")


def test_counts_that_do_not_come_are_unknown() -> None:
    generation, _ = answered(Reply(chunks=ollama_lines("Hi")))
    assert (generation.usage.prompt_tokens, generation.usage.completion_tokens) == (None, None)
    assert generation.seconds.load is None


def test_thinking_aloud_is_no_part_of_the_answer() -> None:
    thought = {"model": "m", "done": False, "message": {"role": "assistant", "content": "", "thinking": "Hm."}}
    lines = [json.dumps(thought).encode() + b"\n", *ollama_lines("<think>\nHm", "m.</think>\n\nBlue", " [1].")]
    generation, _ = answered(Reply(chunks=lines))
    assert generation.text == "Blue [1]."


def test_a_model_that_is_missing_comes_with_the_command_that_fetches_it() -> None:
    with pytest.raises(GenerationFailed, match=r"has no model m: fetch it with `ollama pull m`") as failed:
        answered(ollama_error(404, "model 'm' not found, try pulling it first"))
    assert failed.value.kind == "model-missing"


def test_a_server_error_comes_with_its_words() -> None:
    with pytest.raises(GenerationFailed, match=r"\(HTTP 500\): llama runner has terminated") as failed:
        answered(ollama_error(500, "llama runner has terminated"))
    assert failed.value.kind == "server-error"


def test_an_error_in_the_middle_of_the_stream_is_a_server_error() -> None:
    lines = [*ollama_lines("Blue")[:1], b'{"error": "out of memory"}\n']
    with pytest.raises(GenerationFailed, match="failed: out of memory") as failed:
        answered(Reply(chunks=lines))
    assert failed.value.kind == "server-error"


@pytest.mark.parametrize("chunk", [b"<html>\n", b"[]\n", b'{"done": true}\n', b'"x"\n', b"\xff\n"])
def test_an_answer_that_is_no_chat_is_a_server_error(chunk: bytes) -> None:
    with pytest.raises(GenerationFailed, match="no Ollama chat") as failed:
        answered(Reply(chunks=[chunk]))
    assert failed.value.kind == "server-error"


@pytest.mark.parametrize("body", [b"", b"gateway", b'["x"]', b'{"error": {"message": "bad"}}', b"null"])
def test_an_error_of_any_shape_is_a_server_error(body: bytes) -> None:
    with pytest.raises(GenerationFailed) as failed:
        answered(Reply(502, [body], "text/plain"))
    assert failed.value.kind == "server-error"


def test_nothing_in_the_environment_changes_where_it_goes_or_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OLLAMA_HOST", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("OLLAMA_API_KEY", "secret-from-outside")
    with scripted(Reply(chunks=ollama_lines("Hi"))) as served:
        synthesise(server_config("ollama", served.url), request())
    (headers,) = served.sent_headers
    assert "authorization" not in headers
    assert "secret" not in str(headers)


def test_a_key_that_the_settings_name_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    with scripted(Reply(chunks=ollama_lines("Hi"))) as served:
        synthesise(server_config("ollama", served.url, api_key_env="MY_KEY"), request())
    assert served.sent_headers[0]["authorization"] == "Bearer abc"


def test_a_refused_temperature_is_left_out_and_said() -> None:
    refusal = ollama_error(400, "temperature is not supported by this model")
    generation, bodies = answered(refusal, Reply(chunks=ollama_lines("Hi")), asked={"temperature": 0.0})
    assert ["temperature" in body["options"] for body in bodies] == [True, False]
    assert not generation.controlled
    assert generation.notes == ("mine refuses temperature 0.0 and was asked again without it.",)


def test_no_other_call_is_made_to_the_server() -> None:
    _, bodies = answered(Reply(chunks=ollama_lines("Hi")))
    assert len(bodies) == 1
