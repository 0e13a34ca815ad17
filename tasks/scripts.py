"""Scripts that are written without spaces between words."""

from __future__ import annotations

import re

_RANGES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
_RANGES += "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_RANGES}]")
_WORD = re.compile(rf"(?:(?![{_RANGES}])\w)+(?:['’\-](?:(?![{_RANGES}])\w)+)*")

QUOTED_WORDS = 3
QUOTED_CHARACTERS = 6


def unspaced(text: str) -> int:
    """How many characters of such scripts a text has."""
    return len(_UNSPACED.findall(text))


def words(text: str) -> int:
    """How many words of other scripts a text has."""
    return len(_WORD.findall(text))


def joins(character: str) -> bool:
    """Whether the character belongs to its neighbours of the same word: not in a script without spaces."""
    return (character.isalnum() or character == "_") and not _UNSPACED.match(character)


def quotable(text: str) -> bool:
    """Whether a text in quotation marks says enough to be looked up: less is a name or an emphasis."""
    return words(text) >= QUOTED_WORDS or unspaced(text) >= QUOTED_CHARACTERS
