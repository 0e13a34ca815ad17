"""Models loaded once in a process."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tasks.models import EmbeddingConfig, RerankConfig

if TYPE_CHECKING:
    from tasks.embed import Embedder
    from tasks.rerank import Reranker


@lru_cache(maxsize=4)
def embedder(config: EmbeddingConfig) -> Embedder:
    from tasks.embed import load_embedder

    return load_embedder(config)


@lru_cache(maxsize=2)
def reranker(config: RerankConfig) -> Reranker:
    from tasks.rerank import load_reranker

    return load_reranker(config)
