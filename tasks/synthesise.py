"""The answer: one request to one model, named in the settings and nowhere else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from store.errors import usage
from tasks.models import ServerConfig
from tasks.prompt import Prompt
from tasks.providers.base import Generation, GenerationFailed, GenerationRequest, Provider, Seconds, Usage
from tasks.stage import stage
from tasks.tokens import fit_window

__all__ = [
    "EXTRACTIVE",
    "Generation",
    "GenerationFailed",
    "GenerationRequest",
    "Seconds",
    "Usage",
    "chosen_model",
    "request_for",
    "synthesise",
]

EXTRACTIVE = "extractive"
OLLAMA_URL = "http://127.0.0.1:11434"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY_ENV = "OPENAI_API_KEY"
PROVIDERS = ("ollama", "openai", "openai-compatible")
CUT_SHARE = 0.8
"""Of the prompt's least possible tokens: a server that counts fewer has not read all of it."""

Emit = Callable[[str], None]


def chosen_model(spelling: str, servers: Mapping[str, ServerConfig], setting: str = "synthesis.model") -> ServerConfig:
    """The model behind `ollama/NAME`, `openai/NAME`, a NAME of [models], or `extractive`.

    Raises WhereinError (usage) for another spelling, and where the key of a remote model is not set.
    """
    server = _spelled(spelling, servers)
    if server is None:
        known = ", ".join(["extractive", "ollama/NAME", "openai/NAME", *sorted(servers)])
        raise usage(f"Setting {setting} is {spelling!r}, which is no model to ask; use one of {known}.", kind="model")
    if server.provider not in (*PROVIDERS, EXTRACTIVE):
        known = ", ".join(PROVIDERS)
        raise usage(f"Setting models.{server.name}.provider is {server.provider!r}; use one of {known}.", kind="model")
    server = _completed(server)
    if server.provider == "openai" and not _key(server):
        raise usage(
            f"Setting {setting} is {spelling!r}, which needs a key in the environment variable "
            f"{server.api_key_env}; set it, or name another model.",
            kind="model",
        )
    return server


def request_for(
    prompt: Prompt,
    *,
    temperature: float | None,
    seed: int | None,
    max_tokens: int,
    context_window: int,
    keep_alive: str,
    first_token_seconds: float,
    timeout_seconds: float,
) -> GenerationRequest:
    """The request for a prompt; the window asked of Ollama is the smallest that holds prompt and answer."""
    return GenerationRequest(
        prompt.messages,
        temperature,
        seed,
        max_tokens,
        fit_window(prompt.tokens + max_tokens, context_window),
        keep_alive,
        first_token_seconds,
        timeout_seconds,
        prompt.least_tokens,
        prompt.question,
        tuple(hit.text for hit in prompt.hits),
    )


@stage("synthesise", items=lambda generation: 1)
def synthesise(request: GenerationRequest, server: ServerConfig, on_token: Emit | None = None) -> Generation:
    """The model's answer; `on_token` is given its text as it comes. Raises GenerationFailed."""
    emit = on_token or (lambda text: None)
    if server.provider == EXTRACTIVE:
        return _extracted(request, emit)
    from tasks.providers.attempts import complete

    generation = complete(_provider(server), server, request, emit)
    return _with_cut_noted(generation, request)


def _spelled(spelling: str, servers: Mapping[str, ServerConfig]) -> ServerConfig | None:
    kind, _, name = spelling.partition("/")
    if spelling == EXTRACTIVE:
        return ServerConfig(EXTRACTIVE, EXTRACTIVE, "", EXTRACTIVE)
    if spelling in servers:
        return servers[spelling]
    if kind == "ollama" and name:
        return ServerConfig(spelling, "ollama", "", name)
    if kind == "openai" and name:
        return ServerConfig(spelling, "openai", "", name)
    return None


def _completed(server: ServerConfig) -> ServerConfig:
    """The addresses that go without saying."""
    if server.provider == "ollama":
        return replace(server, base_url=server.base_url or OLLAMA_URL)
    if server.provider == "openai":
        key_env = server.api_key_env or OPENAI_KEY_ENV
        return replace(server, base_url=server.base_url or OPENAI_URL, api_key_env=key_env)
    return server


def _key(server: ServerConfig) -> str | None:
    """The key that the settings name; a server of one's own may do without."""
    return os.environ.get(server.api_key_env) or None if server.api_key_env else None


def _provider(server: ServerConfig) -> Provider:
    if server.provider == "ollama":
        from tasks.providers.ollama import OllamaProvider

        return OllamaProvider(server, _key(server))
    from tasks.providers.openai_compatible import OpenAIProvider

    return OpenAIProvider(server, _key(server))


def _extracted(request: GenerationRequest, emit: Emit) -> Generation:
    from tasks.providers.extractive import extract

    started = time.monotonic()
    text = extract(request.question, request.passages)
    emit(text)
    return Generation(text, seconds=Seconds(total=time.monotonic() - started), finish_reason="stop")


def _with_cut_noted(generation: Generation, request: GenerationRequest) -> Generation:
    counted = generation.usage.prompt_tokens
    if counted is None or counted >= CUT_SHARE * request.least_tokens:
        return generation
    note = (
        f"The model server counted {counted} tokens in a prompt of at least {request.least_tokens}: "
        "it has probably cut off the beginning."
    )
    return replace(generation, notes=(*generation.notes, note))
