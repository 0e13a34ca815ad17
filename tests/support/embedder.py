"""An embedder for tests in one process: bags of hashed words, so that shared words mean nearness."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.embedded import Embedded

DIMENSIONS = 16


class HashedWords:
    """Counts the texts it was sent; a text holding `refuses` is refused, and after `dies_after` texts it is gone."""

    def __init__(self, refuses: str | None = None, dies_after: int | None = None) -> None:
        self.refuses = refuses
        self.dies_after = dies_after
        self.sent_texts: list[str] = []

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def sent(self, text: str) -> str:
        return text

    def embed_partial(self, texts: Sequence[str]) -> Embedded:
        result = Embedded()
        for index, text in enumerate(texts):
            if self.dies_after is not None and len(self.sent_texts) >= self.dies_after:
                result.unreachable = "it went away"
                break
            self.sent_texts.append(text)
            if self.refuses is not None and self.refuses in text:
                result.refused[index] = "it holds a word the model refuses"
            else:
                result.vectors[index] = vector(text)
        return result

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, DIMENSIONS) float32."""
        return np.stack([vector(text) for text in texts])

    def query_fits(self, text: str) -> bool:
        return True

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return vector(text)


def vector(text: str) -> NDArray[np.float32]:
    """(DIMENSIONS,) float32, unit length."""
    row = np.full(DIMENSIONS, 0.01)
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode()).digest()
        row[digest[0] % DIMENSIONS] += 1 if digest[1] % 2 else -1
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)
