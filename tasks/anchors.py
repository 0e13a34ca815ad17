"""Block boundaries chosen by nearby content alone, so that an edit moves only the boundaries beside it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import accumulate, pairwise
from zlib import crc32

Count = Callable[[str], int]
Find = Callable[[str, int, int], Sequence[int]]
"""(text, start, end) -> places strictly inside where a block may begin, ascending."""

KEY_CHARACTERS = 64
"""How much of the text after a place decides its rank: an edit further on does not touch it."""
SHORT_CHARACTERS_PER_TOKEN = 3
"""Text too short for two blocks at so many characters a token is one block, without counting its tokens."""
SAMPLE_CHARACTERS = 8
SAMPLE_ONE_IN = 32

_LINE = re.compile(r"\r\n|\n|\r")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'’”»)\]])\s+|[。！？]+[」』”’）]*\s*")
_WORD = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text, half-open in code points, and the tokens counted over its parts."""

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Spacing:
    """In tokens: anchors found by content are at least `window` apart; a block over `longest` is divided."""

    window: int
    longest: int

    def halved(self) -> Spacing:
        return Spacing(max(1, self.window // 2), max(1, self.longest // 2))


def blocks(text: str, start: int, end: int, spacing: Spacing, separator: str, count: Count) -> list[Block]:
    """Divide text[start:end] at paragraphs, where these do not do at lines, sentences, words, characters.

    A place becomes a boundary when the hash of what follows it is the least within `window` tokens on
    either side; what is then too long is divided where the hash is the least of all. Text that repeats
    itself has no such places and is divided at regular distances.
    """
    if end - start <= SHORT_CHARACTERS_PER_TOKEN * 2 * spacing.window:
        return [Block(start, end, 0)]
    done = [Block(start, end, spacing.longest + 1)]
    paragraphs: Find = partial(_paragraphs, separator)
    regular: Find = partial(_regular, max(1, spacing.window // 16))
    finders: list[Find] = [paragraphs, _lines, _sentences, _words, _sampled]
    for find in finders:
        for choose in (partial(_minima, spacing.window), partial(_fewest, spacing)):
            done = _divide_all(text, done, spacing, count, find, choose)
    for find in [*finders, regular]:
        done = _divide_all(text, done, spacing, count, find, partial(_strides, 2 * spacing.window))
    return done


Choose = Callable[[Sequence[int], Sequence[bytes]], list[int]]
"""(tokens before each place, hash at each place) -> indexes of the places to divide at."""


def _divide_all(
    text: str, done: list[Block], spacing: Spacing, count: Count, find: Find, choose: Choose
) -> list[Block]:
    return [
        part
        for block in done
        for part in ([block] if block.tokens <= spacing.longest else _divide(text, block, count, find, choose))
    ]


def _divide(text: str, block: Block, count: Count, find: Find, choose: Choose) -> list[Block]:
    places = [block.start, *find(text, block.start, block.end), block.end]
    marks = list(accumulate((count(text[a:b]) for a, b in pairwise(places)), initial=0))
    keys = [_key(text, place, block.end) for place in places[:-1]]
    bounds = [0, *choose(marks, keys), len(places) - 1]
    return [Block(places[a], places[b], marks[b] - marks[a]) for a, b in pairwise(bounds)]


def _key(text: str, place: int, end: int) -> bytes:
    following = text[place : min(place + KEY_CHARACTERS, end)].strip()
    return blake2b(following.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _minima(window: int, marks: Sequence[int], keys: Sequence[bytes]) -> list[int]:
    """Places whose key is the least, the first of equals, within `window` on either side and off both ends."""
    chosen: list[int] = []
    start = bisect_left(marks, window)
    stop = bisect_left(marks, marks[-1] - window + 1, hi=len(keys))
    while start < stop:
        reach = max(start + 1, bisect_left(marks, marks[start] + window, hi=len(keys)))
        least = min(range(start, reach), key=keys.__getitem__)
        if least < stop and _is_least(least, window, marks, keys):
            chosen.append(least)
            start = bisect_left(marks, marks[least] + window, lo=least + 1)
        else:
            start = reach
    return chosen


def _is_least(place: int, window: int, marks: Sequence[int], keys: Sequence[bytes]) -> bool:
    first = bisect_left(marks, marks[place] - window + 1)
    last = bisect_left(marks, marks[place] + window, hi=len(keys))
    key = keys[place]
    return min(keys[first:place], default=b"\xff" * 9) > key and key <= min(keys[place:last])


def _fewest(spacing: Spacing, marks: Sequence[int], keys: Sequence[bytes]) -> list[int]:
    """The place of the least key that is not repeated, a window off both ends, and so on in parts too long."""
    first = bisect_left(marks, marks[0] + spacing.window)
    last = bisect_right(marks, marks[-1] - spacing.window, hi=len(keys))
    occurrences = Counter(keys[first:last])
    single = [place for place in range(first, last) if occurrences[keys[place]] == 1]
    if marks[-1] - marks[0] <= spacing.longest or not single:
        return []
    least = min(single, key=keys.__getitem__)
    before = _fewest(spacing, marks[: least + 1], keys[:least])
    after = _fewest(spacing, marks[least:], keys[least:])
    return [*before, least, *(least + place for place in after)]


def _strides(step: int, marks: Sequence[int], keys: Sequence[bytes]) -> list[int]:
    chosen: list[int] = []
    at = bisect_left(marks, step, hi=len(keys))
    while at < len(keys):
        chosen.append(at)
        at = max(at + 1, bisect_left(marks, marks[at] + step, hi=len(keys)))
    return chosen


def _paragraphs(separator: str, text: str, start: int, end: int) -> list[int]:
    """Before each separator: the splitter keeps it with the paragraph it opens."""
    found = re.finditer(re.escape(separator).replace("\\\n", "(?:\\r\\n|\\n|\\r)"), text[start:end])
    return [start + match.start() for match in found if match.start() > 0]


def _after(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[int]:
    found = (start + match.end() for match in pattern.finditer(text[start:end]))
    return [place for place in found if place < end]


_lines: Find = partial(_after, _LINE)
_sentences: Find = partial(_after, _SENTENCE)
_words: Find = partial(_after, _WORD)


def _sampled(text: str, start: int, end: int) -> list[int]:
    """Some of the places between characters, picked by what follows."""
    coded = text[start:end].encode("utf-32-le", "surrogatepass")
    step, width = 4, 4 * SAMPLE_CHARACTERS
    return [
        start + at // step for at in range(step, len(coded), step) if crc32(coded[at : at + width]) % SAMPLE_ONE_IN == 0
    ]


def _regular(step: int, _text: str, start: int, end: int) -> range:
    return range(start + step, end, step)
