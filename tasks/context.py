"""What is put before a chunk for the vector and keyword channels: the day, the title and the headings of its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from store.records import Document
from tasks.chunker import CHARACTERS_PER_TOKEN
from tasks.globs import nfc
from tasks.headings import JOINT

TOKENS = 64
"""The most that is put before a chunk: most headings have below 40."""
SHARE = 4
"""At most one token of so many that the model reads, where its window is small."""
VERSION = 1  # raise it whenever what is put before a chunk changes: kept indexes must then be rebuilt
SEPARATOR = "\n\n"
_SEAM_TOKENS = 2  # two texts can have more tokens together than apart

Tokenize = Callable[[str], Sequence[object]]


def most_tokens(room: int) -> int:
    """How many tokens are kept for what stands before a chunk, of those an input may hold."""
    return min(TOKENS, room // SHARE)


def title(path: str, document: Document) -> str:
    """Of the front matter, else the first heading of the first level, else the file's name without extension."""
    return document.title or PurePosixPath(nfc(path)).stem


def header(text: str, name: str, heading: str | None, day: str | None, tokenize: Tokenize, tokens: int) -> str:
    """One line before a chunk's text, at most `tokens` with the separator; what the text says itself is left out.

    `name` is the file's title, `day` its own date. Outer headings go first where the line is too long.
    """
    parts = [part for part in dict.fromkeys([name, *(heading or "").split(JOINT)]) if part and not _in(part, text)]
    dated = [day] if day and not any(_in(day, each) for each in (text, *parts)) else []
    budget = tokens - _SEAM_TOKENS
    while len(parts) > 2 and _count(_line(dated, parts), tokenize) > budget:
        parts = [parts[0], *parts[2:]]
    return cut(_line(dated, parts), tokenize, budget)


def before(header: str, text: str) -> str:
    """The text that is sent and counted."""
    return f"{header}{SEPARATOR}{text}" if header else text


def cut(line: str, tokenize: Tokenize, tokens: int) -> str:
    """The beginning of a line, as far as it has so many tokens."""
    line = " ".join(line.split())
    while line and (counted := _count(line, tokenize)) > tokens:
        line = line[: min(len(line) - 1, len(line) * max(tokens, 0) // counted)].rstrip()
    return line


def _line(dated: Sequence[str], parts: Sequence[str]) -> str:
    return " ".join(filter(None, [*dated, JOINT.join(parts)]))


def _in(part: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None


def _count(text: str, tokenize: Tokenize) -> int:
    """A word that the tokenizer does not know is one token however long it is: characters count too."""
    return max(len(tokenize(text)), -(-len(text) // CHARACTERS_PER_TOKEN))
