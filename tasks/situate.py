"""What a language model is shown of a chunk and its document, and the sentence that is taken from its answer."""

from __future__ import annotations

from tasks.sentences import sentences
from tasks.tokens import at_most

GAP = "\n[...]\n"
LONGEST = 600
"""Characters of a sentence."""
_CHARACTERS_PER_TOKEN = 4


def excerpt(text: str, start: int, end: int, tokens: int) -> str:
    """A document, or where it has more than so many tokens its beginning and what is around text[start:end]."""
    size = tokens * _CHARACTERS_PER_TOKEN
    if len(text) <= size and at_most(text) <= tokens:
        return text
    while size > 0:
        shown = _shortened(text, start, end, size // 3)
        if at_most(shown) <= tokens:
            return shown
        size = size * 3 // 4
    return ""


def _shortened(text: str, start: int, end: int, third: int) -> str:
    begin = max(third, start - third)
    around = text[begin : end + third]
    return text[:third] + (GAP if begin > third and around else "") + around


def sentence(answer: str) -> str:
    """The first sentence of an answer that announces nothing, on one line; empty if there is none."""
    text = answer.strip()
    found = (" ".join(text[start:end].split()) for start, end in sentences(text))
    return next((each for each in found if not each.endswith(":")), "")[:LONGEST]
