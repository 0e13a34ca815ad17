"""The bundled embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.embedded import BLANK, Embedded
from tasks.onnx_models import SPECIAL_TOKENS, Bert
from tasks.parallel import each
from tasks.weights import EMBEDDER

if TYPE_CHECKING:
    from tasks.llama_embedding import BundledEmbedding
    from tasks.models import EmbeddingSpec


class BundledBackend:
    """CLS pooling, one row at a time: a vector depends on its own text alone, bit for bit."""

    special_tokens = SPECIAL_TOKENS

    def __init__(self, spec: EmbeddingSpec, threads: int | None = None) -> None:
        self.spec = spec
        self._bert = Bert(EMBEDDER, threads)

    def tokenize(self, text: str) -> list[int]:
        return self._bert.ids(text)

    def documents(self, texts: Sequence[str]) -> Embedded:
        return self._embed([self.spec.document_prefix + text if text.strip() else "" for text in texts])

    def query(self, text: str) -> Embedded:
        return self._embed([self.spec.query_prefix + text if text.strip() else ""])

    def base(self) -> BundledEmbedding:
        from tasks.llama_embedding import BundledEmbedding

        return BundledEmbedding(model_name=self.spec.model).over(self)

    def close(self) -> None:
        """Nothing is held outside this object."""

    def _embed(self, inputs: Sequence[str]) -> Embedded:
        """Embed texts that carry their prefix; an empty one stands for a blank text."""
        result = Embedded(refused={i: BLANK for i, text in enumerate(inputs) if not text})
        wanted = [i for i, text in enumerate(inputs) if text]
        wanted.sort(key=lambda i: (-len(inputs[i]), i))
        result.put_all(wanted, each(lambda i: self._row(inputs[i]), wanted, self._bert.threads))
        return result

    def _row(self, text: str) -> Any:
        return self._bert.run(self._bert.single(self._bert.ids(text), self.spec.window))
