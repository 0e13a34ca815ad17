"""LlamaIndex's Ollama, sending what is set and nothing else. Importing this is slow: only the provider does."""

from __future__ import annotations

from typing import Any

import ollama
from llama_index.llms.ollama import Ollama

from tasks.providers.base import counted

_COUNTS = ("prompt_eval_count", "eval_count", "load_duration")


class ExactOllama(Ollama):  # type: ignore[misc,unused-ignore]
    """An option that is unset stays out of the request, where the library would send `null`."""

    @property
    def _model_kwargs(self) -> dict[str, Any]:
        return {name: value for name, value in super()._model_kwargs.items() if value is not None}


class Client(ollama.Client):
    """Ollama's own client; a count that is none costs the count, and not the answer."""

    def _request(self, cls: Any, *args: Any, **more: Any) -> Any:
        return super()._request(lambda **part: cls(**_counted(part)), *args, **more)  # type: ignore[call-overload]


def _counted(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in _COUNTS or _is_count(name, value)}


def _is_count(name: str, value: object) -> bool:
    """Durations are nanoseconds, and may be many."""
    if name == "load_duration":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, int) and counted(value) is not None
