"""The code on the lines around a text that is shown to a language model: no text can close its own fence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import count

DIGITS = 8


def fence_code(texts: Iterable[str]) -> str:
    """A code that stands in none of the texts, and is the same for the same texts in the same order."""
    shown = list(texts)
    for attempt in count():
        sized = "".join(f"{len(text)}:{text}" for text in (*shown, str(attempt)))
        code = hashlib.sha256(sized.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        if not any(code in text for text in shown):
            break
    return code
