"""Embedding models as LlamaIndex knows them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol, Self

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from tasks.embedded import Embedded, Refused, Unreachable


class Embeds(Protocol):
    """What gives the vectors, prefixes included."""

    def documents(self, texts: Sequence[str]) -> Embedded: ...
    def query(self, text: str) -> Embedded: ...


class BackendEmbedding(BaseEmbedding):
    """A `BaseEmbedding` over one of our backends, which adds the prefixes."""

    _backend: Any = PrivateAttr()

    def over(self, backend: Embeds) -> Self:
        """This embedding, computed by `backend`."""
        self._backend = backend
        return self

    @classmethod
    def class_name(cls) -> str:
        return cls.__name__

    def _get_query_embedding(self, query: str) -> list[float]:
        return _rows(self._backend.query(query), 1)[0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return _rows(self._backend.documents(texts), len(texts))

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


class BundledEmbedding(BackendEmbedding):
    """The bundled model, on onnxruntime."""


class ServedEmbedding(BackendEmbedding):
    """A model behind `/v1/embeddings` or Ollama's `/api/embed`."""


def _rows(result: Embedded, count: int) -> list[list[float]]:
    if result.unreachable is not None:
        raise Unreachable(result.unreachable)
    for index, reason in sorted(result.refused.items()):
        raise Refused(index, reason)
    return [result.vectors[i].tolist() for i in range(count)]
