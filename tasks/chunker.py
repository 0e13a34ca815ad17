"""Chunks of a size in tokens, and where in the text each of them lies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from store.errors import usage

if TYPE_CHECKING:
    from llama_index.core.node_parser import SentenceSplitter

Tokenize = Callable[[str], Sequence[Any]]
Place = tuple[int, int]

CHARACTERS_PER_TOKEN = 8
"""The most text a token stands for. Prose has 3 to 6 characters a token; a word the tokenizer does not know
is one token however long it is, and would make a chunk of any length."""
PIECE_CHARACTERS = 4096
"""Text is handed to the tokenizer in pieces of this length, so that a huge paragraph costs little memory."""
REMEMBERED_PIECES = 4096

_INK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Shape:
    """What chunks look like: at most `size` tokens, neighbours sharing at most `overlap` of them."""

    size: int
    overlap: int
    paragraph_separator: str

    def __post_init__(self) -> None:
        if self.size < 1:
            raise usage(f"chunking.size is {self.size}; it must be at least 1.")
        if not 0 <= self.overlap < self.size:
            allowed = f"it must be at least 0 and below chunking.size ({self.size})"
            raise usage(f"chunking.overlap is {self.overlap}; {allowed}.")
        if not self.paragraph_separator:
            raise usage('chunking.paragraph_separator is empty; give the text between paragraphs, as "\\n\\n".')


class Chunker:
    """Cuts stretches of text into chunks of one shape, measured by one tokenizer."""

    def __init__(self, shape: Shape, tokenize: Tokenize) -> None:
        self.shape = shape
        self._tokenize = tokenize
        self._remembered = lru_cache(maxsize=REMEMBERED_PIECES)(lambda piece: len(tokenize(piece)))

    def count(self, text: str) -> int:
        """Roughly the tokens of a text of any length, and no fewer than one for each 8 characters."""
        pieces = (text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS))
        return max(sum(map(self._remembered, pieces)), _least(text))

    def _measure(self, text: str) -> int:
        """`count` for chunks: exact, but over the size nothing is tokenized, and one character always fits."""
        if len(text) == 1:
            return min(self._remembered(text) or 1, self.shape.size)
        least = _least(text)
        if least > self.shape.size:
            return least
        return max(least, self._remembered(text) if len(text) <= PIECE_CHARACTERS else len(self._tokenize(text)))

    def chunks(self, text: str, start: int, end: int) -> list[Place]:
        """Stripped chunks that cover all ink of text[start:end], each with an end of its own, ascending."""
        first, last = _stripped(text, start, end)
        if first == last:
            return []
        body = text[first:last]
        if self._measure(body) <= self.shape.size:
            return [(first, last)]
        places = locate(text, first, last, self._splitter(body).split_text(body))
        return list(self._fitted(text, places))

    def _fitted(self, text: str, places: list[Place]) -> Iterator[Place]:
        """Without chunks that lie within a neighbour, as those made of an overlap and white space do.

        Chunks over the size are halved: some tokenizers count a whole higher than the sum of its parts.
        """
        begun = reached = -1
        for start, end in dict(places).items():
            if end > reached:
                shares = start > begun and self._measure(text[start:end]) <= self.shape.size
                first = start if shares else max(start, reached)
                for begun, reached in self._halved(text, *_stripped(text, first, end)):
                    yield begun, reached

    def _halved(self, text: str, start: int, end: int) -> Iterator[Place]:
        if self._measure(text[start:end]) <= self.shape.size:
            yield start, end
            return
        middle = (start + end) // 2
        gaps = list(re.finditer(r"\s+", text[start:middle]))
        middle = start + gaps[-1].end() if gaps else middle
        yield from self._halved(text, *_stripped(text, start, middle))
        yield from self._halved(text, *_stripped(text, middle, end))

    def _splitter(self, text: str) -> SentenceSplitter:
        """The splitter for the newlines of this text."""
        return max(self._splitters, key=lambda pair: text.count(pair[0]))[1]

    @cached_property
    def _splitters(self) -> list[tuple[str, SentenceSplitter]]:
        separator = self.shape.paragraph_separator
        spelled = dict.fromkeys(separator.replace("\n", newline) for newline in ("\n", "\r\n", "\r"))
        return [(each, self._build(each)) for each in spelled]

    def _build(self, separator: str) -> SentenceSplitter:
        from llama_index.core.node_parser import SentenceSplitter
        from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer_internal
        from nltk.tokenize import PunktSentenceTokenizer  # type: ignore[import-untyped]

        punkt = PunktSentenceTokenizer()  # by default the same one is used, after a look for downloads
        return SentenceSplitter(
            chunk_size=self.shape.size,
            chunk_overlap=self.shape.overlap,
            paragraph_separator=separator,
            tokenizer=lambda piece: range(self._measure(piece)),
            chunking_tokenizer_fn=lambda piece: split_by_sentence_tokenizer_internal(piece, punkt),
        )


def _least(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _stripped(text: str, start: int, end: int) -> Place:
    inner = text[start:end].lstrip()
    first = end - len(inner)
    return first, first + len(inner.rstrip())


def locate(text: str, start: int, end: int, chunks: Sequence[str]) -> list[Place]:
    """Where consecutive, stripped, overlapping chunks lie: starts never go back and no ink is left between them.

    Each chunk goes to the last place that fits; where text repeats itself a later chunk may then fit
    nowhere, and the earlier one moves back.
    """
    starts: list[int] = []
    last_ink = _stripped(text, start, end)[1]
    begin = _next_ink(text, start, end)
    open_places = [_occurrences(text, chunks[0], begin, begin, end)]
    tried: set[tuple[int, int]] = set()
    while len(starts) < len(chunks):
        at = next((at for at in open_places[-1] if (len(starts), at) not in tried), None)
        if at is None:
            open_places.pop()
            if not starts:
                raise RuntimeError("The sentence splitter returned a chunk that is not in the text.")
            starts.pop()
            continue
        tried.add((len(starts), at))
        reached = at + len(chunks[len(starts)])
        starts.append(at)
        if len(starts) < len(chunks):
            following = _next_ink(text, reached, end)
            open_places.append(_occurrences(text, chunks[len(starts)], at, following, end))
        elif reached != last_ink:
            starts.pop()
    return [(at, at + len(chunk)) for at, chunk in zip(starts, chunks, strict=True)]


def _occurrences(text: str, chunk: str, low: int, high: int, end: int) -> Iterator[int]:
    """Starts of `chunk` from `high` down to `low`."""
    at = text.rfind(chunk, low, min(high + len(chunk), end))
    while at >= 0:
        yield at
        at = text.rfind(chunk, low, at + len(chunk) - 1)


def _next_ink(text: str, start: int, end: int) -> int:
    found = _INK.search(text, start, end)
    return found.start() if found else end
