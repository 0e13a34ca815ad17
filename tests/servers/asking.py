"""Small questions for a small model."""

from __future__ import annotations

from typing import Any

from prompts.template import parse
from tasks.models import ServerConfig
from tasks.prompt import Budget, Prompt, build
from tasks.providers.base import GenerationRequest
from tasks.synthesise import Generation, synthesise
from tasks.tokens import fit_window
from tests.unit.hits import hits

PROTOCOLS = ["openai-compatible", "ollama"]
PASSAGES = (
    "The blue boat was sold to Anna in May for ninety pounds.",
    "The garden had a well, and the well was dry all summer.",
)
SHORT = parse(
    "short",
    b"---\nvariables: [question, passages]\n---\n=== system ===\nAnswer from the passages and cite them.\n"
    b"=== user ===\n{passages}\n{question}\n",
)


def prompt_over(*passages: str) -> Prompt:
    return build("Who bought the blue boat?", hits(*passages), SHORT, Budget(8192, 64))


def ask(server: ServerConfig, prompt: Prompt, emit: Any = None, **changes: Any) -> Generation:
    fields: dict[str, Any] = {
        "messages": prompt.messages,
        "temperature": 0.0,
        "seed": 1,
        "max_tokens": 16,
        "num_ctx": fit_window(prompt.tokens + 16, 8192),
        "keep_alive": "5m",
        "first_token_seconds": 240.0,
        "timeout_seconds": 400.0,
        "least_tokens": prompt.least_tokens,
    }
    return synthesise(server, GenerationRequest(**{**fields, **changes}), emit)
