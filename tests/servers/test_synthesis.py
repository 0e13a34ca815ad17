"""Answers from a real small model, through both protocols."""

from __future__ import annotations

import httpx
import pytest

from tasks.cite import cite
from tasks.models import ServerConfig
from tasks.prompt import Budget, Prompt, build
from tasks.providers.base import GenerationFailed
from tests.servers.asking import PASSAGES, PROTOCOLS, SHORT, ask, prompt_over
from tests.unit.corpora import diary
from tests.unit.hits import hits

pytest_plugins = ["tests.support.servers"]
pytestmark = pytest.mark.slow


@pytest.fixture(params=PROTOCOLS)
def server(request: pytest.FixtureRequest) -> ServerConfig:
    fixture = "ollama_url" if request.param == "ollama" else "llama_url"
    return ServerConfig("local", request.param, request.getfixturevalue(fixture), "smollm2")


def test_an_answer_streams_with_its_counts_and_nothing_left_out(server: ServerConfig) -> None:
    pieces: list[str] = []
    prompt = prompt_over(*PASSAGES)
    generation = ask(server, prompt, pieces.append)
    assert generation.text == "".join(pieces).strip() != ""
    assert len(pieces) > 3
    assert generation.usage.prompt_tokens is not None
    assert generation.usage.completion_tokens is not None
    assert 0 < generation.usage.completion_tokens <= 16
    assert generation.controlled
    assert generation.device is None or server.provider == "ollama"
    assert generation.seconds.first_token is not None
    assert 0 < generation.seconds.first_token <= generation.seconds.total
    assert not any("cut off" in note for note in generation.notes)
    assert all(marker > 0 for marker in cite(generation.text, prompt.hits).unknown_markers)


def test_the_server_counts_the_prompt_within_its_bounds(server: ServerConfig) -> None:
    """One token is generated: what counts is what the server read."""
    prompt = prompt_over(*PASSAGES)
    counted = ask(server, prompt, max_tokens=1).usage.prompt_tokens
    assert counted is not None
    assert prompt.least_tokens <= counted <= prompt.tokens


def test_the_bounds_of_the_prompt_hold_on_diary_text(llama_url: str) -> None:
    """The server's tokenizer alone counts them: reading the prompts would take it long."""
    server = ServerConfig("local", "openai-compatible", llama_url, "smollm2")
    small = prompt_over(*PASSAGES)
    assert tokens(llama_url, small) == ask(server, small, max_tokens=1).usage.prompt_tokens
    for passages in (diary(200)[20:21], diary(200)[60:64], [text[:900] for text in diary(200)[90:92]]):
        prompt = prompt_over(*passages)
        assert prompt.least_tokens <= tokens(llama_url, prompt) <= prompt.tokens


def tokens(llama_url: str, prompt: Prompt) -> int:
    """How many tokens the model's chat template and tokenizer make of a prompt."""
    with httpx.Client(base_url=llama_url.removesuffix("/v1"), timeout=60, trust_env=False) as client:
        text = client.post("/apply-template", json={"messages": prompt.messages}).json()["prompt"]
        return len(client.post("/tokenize", json={"content": text, "parse_special": True}).json()["tokens"])


def test_max_tokens_ends_the_answer_and_it_is_said(server: ServerConfig) -> None:
    generation = ask(server, prompt_over(*PASSAGES), max_tokens=3)
    assert generation.usage.completion_tokens is not None
    assert generation.usage.completion_tokens <= 3
    assert generation.finish_reason == "length"
    assert "synthesis.max_tokens" in " ".join(generation.notes)


def test_a_time_limit_ends_a_real_answer_and_the_next_one_is_answered(server: ServerConfig) -> None:
    with pytest.raises(GenerationFailed) as failed:
        ask(server, prompt_over("The mill was let to a cooper in March.", *PASSAGES), first_token_seconds=0.01)
    assert failed.value.kind == "time-out"
    assert ask(server, prompt_over(*PASSAGES), max_tokens=8).text


def test_temperature_and_seed_reach_the_model(server: ServerConfig) -> None:
    prompt = prompt_over(*PASSAGES)
    ask(server, prompt, max_tokens=1)  # a cold prompt cache can change one answer
    cold = {ask(server, prompt, seed=seed, max_tokens=12).text for seed in range(1, 3)}
    hot = [ask(server, prompt, seed=seed, max_tokens=12, temperature=1.9).text for seed in (1, 2, 3, 1, 2, 3)]
    assert len(cold) == 1
    assert len(set(hot)) > 1
    assert hot[:3] == hot[3:], "one seed, one answer"


def test_a_prompt_over_the_window_is_a_server_error_with_its_words(llama_url: str) -> None:
    server = ServerConfig("local", "openai-compatible", llama_url, "smollm2")
    prompt = build("Who?", hits("word " * 12000), SHORT, Budget(200_000, 64))
    with pytest.raises(GenerationFailed, match="context") as failed:
        ask(server, prompt)
    assert failed.value.kind == "server-error"


def test_a_model_that_is_not_there_comes_with_the_command_that_fetches_it(ollama_url: str) -> None:
    server = ServerConfig("ollama/absent", "ollama", ollama_url, "absent")
    with pytest.raises(GenerationFailed, match="`ollama pull absent`") as failed:
        ask(server, prompt_over(*PASSAGES))
    assert failed.value.kind == "model-missing"
