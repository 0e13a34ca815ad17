"""What a reranker is made of: something that scores passages, and how it says that it could not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class RerankFailed(Exception):
    """The reranker did not give every passage a score."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Scorer(Protocol):
    """A logit, or whatever the model scores by, for each passage, in order; raises RerankFailed."""

    window: int

    def logits(self, query: str, passages: Sequence[str]) -> list[float]: ...
