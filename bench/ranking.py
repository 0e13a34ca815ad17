"""nDCG@10 of a matrix of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

CUT = 10


def ndcg(scores: Any, documents: Sequence[str], judgements: Sequence[Mapping[str, int]]) -> float:
    """The mean over queries; `scores` (queries, documents), gains 2**relevance - 1, ties in the order of documents."""
    return float(np.mean([_one(row, documents, judged) for row, judged in zip(scores, judgements, strict=True)]))


def _one(scores: Any, documents: Sequence[str], judged: Mapping[str, int]) -> float:
    best = np.argsort(-scores, kind="stable")[:CUT]
    gained = _discounted([judged.get(documents[place], 0) for place in best])
    return gained / _discounted(sorted(judged.values(), reverse=True)[:CUT])


def _discounted(relevance: Sequence[int]) -> float:
    return float(sum((2**value - 1) / np.log2(place + 2) for place, value in enumerate(relevance)))
