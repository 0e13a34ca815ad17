"""What small models write when they are at a loss: the same words again and again."""

from __future__ import annotations

import re
from collections import Counter

MOST_TIMES = 2


def repeats(text: str) -> bool:
    """Whether the same three words follow one another three times or more."""
    words = re.findall(r"\w+", text.lower())
    said = Counter(zip(words, words[1:], words[2:], strict=False))
    return max(said.values(), default=0) > MOST_TIMES
