"""Lists of words written as running text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text with white space between them."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """`given value|given value`: the last word of each piece by the words before it."""
    return {left: right for left, _, right in (piece.strip().rpartition(" ") for piece in text.split("|"))}
