"""The answer: one request to one model, named in the settings and nowhere else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from store.errors import usage
from tasks.models import ServerConfig
from tasks.providers.base import Generation, GenerationFailed, GenerationRequest, Provider, Seconds, Usage
from tasks.stage import stage

__all__ = [
    "Generation",
    "GenerationFailed",
    "GenerationRequest",
    "Seconds",
    "Usage",
    "check",
    "synthesise",
]

CUT_SHARE = 0.8
"""Of the prompt's least possible tokens: a server that counts fewer has not read all of it."""

Emit = Callable[[str], None]


def check(server: ServerConfig) -> None:
    """Raises WhereinError (usage) for a server that cannot be asked: no usable address, or a named key not set."""
    if not _usable(server.base_url):
        raise usage(
            f"Setting models.{server.name}.base_url is {server.base_url!r}; "
            "give an address such as http://127.0.0.1:8080/v1."
        )
    if server.api_key_env and not _key(server):
        raise usage(
            f"Model {server.name!r} needs a key in the environment variable {server.api_key_env}: "
            "set it, or name another model.",
            kind="model",
        )


@stage("synthesise", items=lambda generation: 1)
def synthesise(server: ServerConfig | None, request: GenerationRequest, on_token: Emit | None = None) -> Generation:
    """The model's answer, or without a server the passages' own sentences; `on_token` is given it as it comes.

    Raises GenerationFailed, and WhereinError where `check` does.
    """
    emit = on_token or (lambda text: None)
    if server is None:
        return _extracted(request, emit)
    from tasks.providers.attempts import complete

    check(server)
    return _with_cut_noted(complete(_provider(server), server, request, emit), request)


def _usable(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


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
        "it has probably truncated it, beginning with the instructions."
    )
    return replace(generation, notes=(*generation.notes, note))
