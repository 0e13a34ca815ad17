"""LlamaIndex's Ollama, sending what is set and nothing else. Importing this is slow: only the provider does."""

from __future__ import annotations

from typing import Any

from llama_index.llms.ollama import Ollama


class ExactOllama(Ollama):  # type: ignore[misc,unused-ignore]
    """An option that is unset stays out of the request, where the library would send `null`."""

    @property
    def _model_kwargs(self) -> dict[str, Any]:
        return {name: value for name, value in super()._model_kwargs.items() if value is not None}
