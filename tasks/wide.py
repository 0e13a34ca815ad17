"""UTF-16 and UTF-32 without a byte-order mark."""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter

SAMPLE_CHARACTERS = 4096

_NOT_WRITTEN = frozenset({"Cc", "Cn", "Co", "Cs"})
_SPACE = frozenset("\t\n\r\f\x1b\ufeff")
_ASCII_AND_NUL = frozenset(b"\0\t\n\r") | frozenset(range(0x20, 0x7F))
_HAN_TO_HANGUL = range(0x2E, 0xD8)
"""High bytes of Chinese, Japanese and Korean text, which is spread over many."""


def wide_encoding(data: bytes) -> str | None:
    """The encoding of bytes that hold NULs, if they read as text in it."""
    if len(data) % 4 == 0:
        for encoding in ("utf-32-le", "utf-32-be"):
            if _is_written(_start(data, encoding, 4)):
                return encoding
    order = ("utf-16-le", "utf-16-be") if data[1::2].count(0) >= data[::2].count(0) else ("utf-16-be", "utf-16-le")
    for encoding in order:
        text = _start(data, encoding, 2)
        if _is_written(text) and _is_one_script(text, data[: 2 * len(text)]):
            return encoding
    return None


def _start(data: bytes, encoding: str, unit: int) -> str:
    """The first characters, a cut one left off; empty if they cannot be read."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data[: SAMPLE_CHARACTERS * unit])
    except UnicodeDecodeError:
        return ""


def _is_written(text: str) -> bool:
    """Whether there are characters, each one that people write."""
    return text != "" and all(c in _SPACE or unicodedata.category(c) not in _NOT_WRITTEN for c in text)


def _is_one_script(text: str, sample: bytes) -> bool:
    """Whether the high bytes are few, as in any alphabet, or those of East Asian text.

    ASCII with NULs between its words passes as East Asian, so it is looked for first.
    """
    highs = Counter(ord(c) >> 8 for c in text)
    few = sum(count for _, count in highs.most_common(3))
    east = highs[0] + sum(count for high, count in highs.items() if high in _HAN_TO_HANGUL or high == 0xFF)
    if _ASCII_AND_NUL.issuperset(sample) and sample.count(0) < 0.4 * len(sample):
        return False
    return few >= 0.8 * len(text) or east >= 0.9 * len(text)
