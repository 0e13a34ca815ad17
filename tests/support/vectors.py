"""Vectors a person can reason about: bags of hashed words."""

from __future__ import annotations

import hashlib
import math
import re

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The lower-cased words of a text, in order."""
    return _WORD.findall(text.lower())


def slot_of(word: str, dim: int) -> int:
    """The axis a word adds to; the same in every process and on every machine."""
    return int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big") % dim


def bag(text: str, dim: int, first_words: int | None = None) -> list[float]:
    """A unit vector of word counts, so that shared words mean nearness.

    A text without words points along the first axis: it is never the zero vector.
    """
    counts = [0.0] * dim
    for word in words_of(text)[:first_words]:
        counts[slot_of(word, dim)] += 1.0
    if not any(counts):
        counts[0] = 1.0
    length = math.sqrt(sum(value * value for value in counts))
    return [value / length for value in counts]


def cosine(left: list[float], right: list[float]) -> float:
    """The cosine of two unit vectors."""
    return sum(a * b for a, b in zip(left, right, strict=True))
