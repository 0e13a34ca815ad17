"""The real servers through the real client libraries. Answers are held to facts, never to a wording."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.serve import hfl_server
from tests.support.descendants import descendants, survivors

pytest_plugins = ["tests.support.servers"]

QUESTION = "What is the capital of France? Answer in one sentence."
OPTIONS = {"temperature": 0.0, "seed": 0, "max_tokens": 24}


@pytest.fixture
def openai_client(llama_url: str) -> Any:
    import openai

    return openai.OpenAI(base_url=llama_url, api_key="none", max_retries=0, timeout=120)


@pytest.fixture
def ollama(ollama_url: str) -> Callable[..., Any]:
    from llama_index.llms.ollama import Ollama

    def build(model: str = "smollm2", **more: Any) -> Any:
        settings = {"temperature": 0.0, "context_window": 2048, "request_timeout": 120.0, "keep_alive": "1m"}
        options = {"seed": 0, "num_predict": 24}
        return Ollama(model=model, base_url=ollama_url, additional_kwargs=options, **(settings | more))

    return build


def _ask(text: str = QUESTION) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def _message(text: str = QUESTION) -> list[Any]:
    from llama_index.core.llms import ChatMessage

    return [ChatMessage(role="user", content=text)]


def _json(url: str) -> Any:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=30) as answer:
        return json.load(answer)


def test_llama_server_is_healthy_and_names_its_one_model(llama_url: str) -> None:
    assert _json(llama_url.removesuffix("/v1") + "/health") == {"status": "ok"}
    assert [model["id"] for model in _json(f"{llama_url}/models")["data"]] == ["smollm2"]


def test_llama_server_answers_and_counts_tokens(openai_client: Any) -> None:
    answer = openai_client.chat.completions.create(model="smollm2", messages=_ask(), **OPTIONS)
    assert "Paris" in answer.choices[0].message.content
    assert answer.usage.prompt_tokens > 5
    assert 0 < answer.usage.completion_tokens <= 24


def test_llama_server_streams_pieces_and_ends_with_usage(openai_client: Any) -> None:
    stream_options = {"include_usage": True}
    stream = openai_client.chat.completions.create(
        model="smollm2", messages=_ask(), stream=True, stream_options=stream_options, **OPTIONS
    )
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    assert len([piece for piece in pieces if piece]) > 1
    assert "Paris" in "".join(piece or "" for piece in pieces)
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens > 1


def test_llama_server_repeats_itself_for_one_seed_when_its_cache_is_warm(openai_client: Any) -> None:
    def sample() -> str:
        request = OPTIONS | {"temperature": 1.0, "seed": 7}
        answer = openai_client.chat.completions.create(model="smollm2", messages=_ask(), **request)
        return str(answer.choices[0].message.content)

    sample()
    assert sample() == sample()


def test_llama_server_answers_under_any_model_name_and_says_which_it_is(openai_client: Any) -> None:
    answer = openai_client.chat.completions.create(model="no-such-model", messages=_ask(), **OPTIONS)
    assert answer.model == "smollm2"


def test_llama_server_refuses_a_prompt_over_its_window_with_both_numbers(openai_client: Any) -> None:
    import openai

    with pytest.raises(openai.BadRequestError) as caught:
        openai_client.chat.completions.create(model="smollm2", messages=_ask("word " * 9000), **OPTIONS)
    body: Any = caught.value.body
    assert (body["type"], body["n_ctx"]) == ("exceed_context_size_error", 8192)
    assert body["n_prompt_tokens"] > 9000


def test_ollama_protocol_answers_and_counts_tokens(ollama: Callable[..., Any]) -> None:
    answer = ollama().chat(_message())
    assert "Paris" in answer.message.content
    assert answer.raw["prompt_eval_count"] > 5
    assert 0 < answer.raw["eval_count"] <= 24


def test_ollama_protocol_streams_pieces_and_ends_with_counts(ollama: Callable[..., Any]) -> None:
    parts = list(ollama().stream_chat(_message()))
    assert len([part for part in parts if part.delta]) > 1
    assert parts[-1].message.content == "".join(part.delta or "" for part in parts)
    assert parts[-1].raw["done"] is True
    assert parts[-1].raw["eval_count"] > 1


@pytest.mark.parametrize("streamed", [False, True])
def test_ollama_protocol_answers_404_for_a_missing_model(ollama: Callable[..., Any], streamed: bool) -> None:
    from ollama import ResponseError

    model = ollama("no-such-model")
    with pytest.raises(ResponseError) as caught:
        list(model.stream_chat(_message())) if streamed else model.chat(_message())
    assert caught.value.status_code == 404
    assert "no-such-model" in caught.value.error


def test_nothing_is_left_of_a_server_and_the_one_below_it_once_it_is_ended(models_dir: Path, ollama_url: str) -> None:
    before = descendants()
    with hfl_server(models_dir) as url:
        _load_through_ollama(url)
        started = descendants() - before
        assert len(started) > 1
    assert survivors(started) == set()
    with pytest.raises(urllib.error.URLError):
        _json(url)


def _load_through_ollama(url: str) -> None:
    from llama_index.llms.ollama import Ollama

    options = {"num_predict": 1}
    model = Ollama(model="smollm2", base_url=url, temperature=0.0, context_window=512, additional_kwargs=options)
    assert model.chat(_message()).raw["eval_count"] == 1
