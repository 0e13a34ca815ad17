"""Made-up notes of any amount: words by Zipf's law, and an identifier of its own in every paragraph."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator

WORDS = 300_000
EXPONENT = 1.05
"""The word of rank r is met r ** -EXPONENT times as often as the first."""
SMALL_WORDS = 50
"""So many of the most frequent words stand for the small ones, which a question is stripped of."""
SENTENCE_WORDS = 14
PARAGRAPH_SENTENCES = 6
PARAGRAPHS = 39
"""A file of so many paragraphs has some 20 chunks of 256 tokens."""
FOLDER_FILES = 100

_CONSONANTS = "bdfghklmnprstvwz"
_VOWELS = "aeiou"


def write_notes(root: Path, files: int, paragraphs: int = PARAGRAPHS) -> int:
    """Write `files` notes below `root`, a hundred to a folder; returns their bytes."""
    written = 0
    for number in range(files):
        folder = root / f"{number // FOLDER_FILES:05}"
        if number % FOLDER_FILES == 0:
            folder.mkdir(parents=True, exist_ok=True)
        data = note(number, paragraphs).encode()
        written += len(data)
        (folder / f"note {number:07}.txt").write_bytes(data)
    return written


def note(number: int, paragraphs: int = PARAGRAPHS) -> str:
    """The text of one note: the same for the same number."""
    import numpy as np

    random = np.random.default_rng(number)
    ranks = iter(_ranks(random, paragraphs * PARAGRAPH_SENTENCES * SENTENCE_WORDS))
    return "\n\n".join(_paragraph(ranks, f"N{number}-{place}") for place in range(paragraphs)) + "\n"


def questions(count: int) -> list[str]:
    """Distinct questions of 3 to 8 words drawn as the notes' own words are, without the small ones."""
    import numpy as np

    random = np.random.default_rng(2**40)
    found: dict[str, None] = {}
    while len(found) < count:
        ranks = [rank for rank in _ranks(random, 40) if rank >= SMALL_WORDS]
        found[" ".join(word(rank) for rank in ranks[: int(random.integers(3, 9))])] = None
    return list(found)


def _paragraph(ranks: Iterator[int], name: str) -> str:
    return " ".join([f"Entry {name}.", *(_sentence(ranks) for _ in range(PARAGRAPH_SENTENCES))])


def _sentence(ranks: Iterator[int]) -> str:
    return " ".join(word(next(ranks)) for _ in range(SENTENCE_WORDS)).capitalize() + "."


def _ranks(random: Generator, count: int) -> list[int]:
    import numpy as np

    drawn: list[int] = np.searchsorted(_shares(), random.random(count)).tolist()
    return drawn


@cache
def _shares() -> Any:
    """The share of all words that are of rank r or more frequent, (WORDS,) ascending to 1."""
    import numpy as np

    weights = np.arange(1, WORDS + 1, dtype=np.float64) ** -EXPONENT
    return np.cumsum(weights) / weights.sum()


@lru_cache(maxsize=1 << 16)
def word(rank: int) -> str:
    """A pronounceable word, one for each rank; frequent ones are short."""
    letters = ""
    rest = rank + 1
    while rest:
        rest, syllable = divmod(rest, len(_CONSONANTS) * len(_VOWELS))
        letters += _CONSONANTS[syllable // len(_VOWELS)] + _VOWELS[syllable % len(_VOWELS)]
    return letters


if __name__ == "__main__":
    write_notes(Path(sys.argv[2]), int(sys.argv[1]), *map(int, sys.argv[3:]))
