"""Embed texts: one interface over bundled, Hugging Face and served models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from store.errors import usage
from tasks.embedded import Embedded, Refused, Unreachable
from tasks.models import EmbeddingConfig, EmbeddingSpec, embedding_spec
from tasks.stage import stage

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    from tasks.embedded import Vector

Tokens = Sequence[int | str]


class Backend(Protocol):
    """How one kind of model works. It puts the prefixes before the texts, and cuts what exceeds the window."""

    special_tokens: int

    def tokenize(self, text: str) -> Tokens: ...
    def documents(self, texts: Sequence[str]) -> Embedded: ...
    def query(self, text: str) -> Embedded: ...
    def base(self) -> BaseEmbedding: ...
    def close(self) -> None: ...


class Embedder:
    """An embedding model that is loaded, or ready to be called."""

    def __init__(self, spec: EmbeddingSpec, backend: Backend) -> None:
        self.spec = spec
        self._backend = backend

    @property
    def base(self) -> BaseEmbedding:
        """The same model for LlamaIndex, prefixes included."""
        return self._backend.base()

    @property
    def capacity(self) -> int:
        """Tokens a text may have beside the document prefix and the special tokens."""
        return self.spec.window - self._backend.special_tokens - self.count_tokens(self.spec.document_prefix)

    def tokenize(self, text: str) -> Tokens:
        """Tokens of a text, without special tokens; a served model's are estimated."""
        return self._backend.tokenize(text)

    def count_tokens(self, text: str) -> int:
        return len(self._backend.tokenize(text))

    def sent(self, text: str) -> str:
        """The text as the model gets it: what an embedding is remembered by."""
        return self.spec.document_prefix + text

    def query_fits(self, text: str) -> bool:
        """False if the end of the query lies beyond the window and is not read."""
        whole = self.spec.query_prefix + text
        if 2 * len(whole.encode()) < self.spec.window:
            return True
        tokens = self.count_tokens(whole)
        return tokens + self._backend.special_tokens <= self.spec.window

    def embed_partial(self, texts: Sequence[str]) -> Embedded:
        """Everything that could be had, even if the model becomes unreachable half way."""
        return self._backend.documents(texts)

    def embed(self, texts: Sequence[str]) -> Vector:
        """(n, d) float32 unit rows; (0, 0) of no texts. Raises Refused or Unreachable."""
        import numpy

        result = self.embed_partial(texts)
        _raise_for(result)
        rows = [result.vectors[i] for i in range(len(texts))]
        return numpy.stack(rows) if rows else numpy.zeros((0, 0), dtype=numpy.float32)

    def embed_query(self, text: str) -> Vector:
        """(d,) float32 of length 1. Raises Refused or Unreachable."""
        result = self._backend.query(text)
        _raise_for(result)
        return result.vectors[0]

    def close(self) -> None:
        """Give back connections; the embedder cannot be used after."""
        self._backend.close()


def load_embedder(config: EmbeddingConfig) -> Embedder:
    """Raises WhereinError (code 2) naming the setting if the model cannot be loaded. Servers are not asked."""
    spec = embedding_spec(config)
    return Embedder(spec, _BACKENDS[spec.kind](config, spec))


@stage("embed", items=lambda result: len(result.vectors))
def embed_texts(embedder: Embedder, texts: Sequence[str]) -> Embedded:
    """Unit rows of documents, by index."""
    return embedder.embed_partial(texts)


def _raise_for(result: Embedded) -> None:
    if result.unreachable is not None:
        raise Unreachable(result.unreachable)
    for index, reason in sorted(result.refused.items()):
        raise Refused(index, reason)


def _bundled(config: EmbeddingConfig, spec: EmbeddingSpec) -> Backend:
    from tasks.embed_bundled import BundledBackend

    if config.device not in ("auto", "cpu"):
        raise usage(
            f"Setting embedding.device is {config.device!r}, but {config.model!r} runs on the CPU only;"
            ' use "auto" or "cpu".'
        )
    return BundledBackend(spec)


def _huggingface(config: EmbeddingConfig, spec: EmbeddingSpec) -> Backend:
    from tasks.embed_huggingface import HuggingFaceBackend

    return HuggingFaceBackend(config, spec)


def _server(config: EmbeddingConfig, spec: EmbeddingSpec) -> Backend:
    from tasks.embed_server import open_server

    return open_server(config, spec)


_BACKENDS: dict[str, Callable[[EmbeddingConfig, EmbeddingSpec], Backend]] = {
    "bundled": _bundled,
    "huggingface": _huggingface,
    "server": _server,
}
