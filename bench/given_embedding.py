"""Given vectors for LlamaIndex."""

from __future__ import annotations

from llama_index.core.base.embeddings.base import BaseEmbedding

from bench.given_vectors import vector


class GivenEmbedding(BaseEmbedding):
    """A vector drawn from the digest of its text."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return [float(value) for value in vector(text)]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)
