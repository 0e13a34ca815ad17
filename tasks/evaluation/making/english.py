"""Noun phrases of English sentences, found by the function words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.calendar_words import MONTHS, WEEKDAYS
from tasks.evaluation.making.english_words import DETERMINERS, FUNCTION, GENERIC, MEASURES, NUMBERS, VAGUE

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*(?:['’](?=\s))?|£[\d,.]*\d|\$[\d,.]*\d|€[\d,.]*\d|[^\w\s]")
_ADJECTIVAL = ("ed", "ly", "en", "ous", "ful", "less", "ish", "ive", "able", "ible", "ical", "est")
_NOUN_ENDINGS = ("tion", "sion", "ment", "ness", "ity", "ship", "ance", "ence", "ism", "ery", "ology", "ure", "dom")


Nouns = frozenset[str]
_BEFORE_DOT = frozenset(["st", "mr", "mrs", "ms", "dr"])
_MYSELF = ("I'", "I’")


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int
    end: int

    @property
    def small(self) -> str:
        return self.text.lower()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()

    @property
    def is_content(self) -> bool:
        return self.is_word and self.small not in FUNCTION and len(self.text) > 1 and self.text[:2] not in _MYSELF

    @property
    def is_name(self) -> bool:
        return self.is_content and self.text[0].isupper() and not self.is_dated

    @property
    def is_dated(self) -> bool:
        return not {self.small, self.small.removesuffix("s")}.isdisjoint(MONTHS.keys() | WEEKDAYS)


def tokens(text: str) -> list[Token]:
    return [Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Tokens [first, last); `words` are those that tell something, `head` the noun."""

    first: int
    last: int
    words: tuple[str, ...]
    head: str


def bounded(found: Sequence[Token], index: int) -> bool:
    """Whether what comes next cannot be a part of the noun phrase before it."""
    if index >= len(found):
        return True
    token = found[index]
    if not token.is_word:
        return token.text[0] not in "-'’`$£€(/[" and not token.text[0].isdigit()
    return token.small in FUNCTION and token.small != "of"


def noun_phrase(found: Sequence[Token], first: int, nouns: Nouns, *, bound: bool = True) -> NounPhrase | None:
    """The noun phrase that begins here with a determiner, or the name that does.

    None unless it surely ends; without `bound` it is the longest that ends with a noun, whatever follows.
    """
    if first >= len(found):
        return None
    index = first + (found[first].small in DETERMINERS or found[first].text in NUMBERS or found[first].text.isdigit())
    words = _content(found, index)
    while not bound and words and not is_noun(words[-1].small, nouns):
        words.pop()
    named = bool(words) and all(token.is_name for token in words)
    if (
        not words
        or words[-1].small in _BEFORE_DOT
        or (index == first and not named)
        or not (named or is_noun(words[-1].small, nouns))
    ):
        return None
    index += len(words)
    more = _of(found, index, nouns)
    if more is not None:
        if words[-1].small in MEASURES:
            return None
        index, words = more.last, [*words, *found[more.last - len(more.words) : more.last]]
    if (
        (bound and not bounded(found, index))
        or any(token.is_dated for token in words)
        or not _joined(found, first, index)
    ):
        return None
    return NounPhrase(first, index, tuple(token.text for token in words), (more.head if more else words[-1].text))


def _content(found: Sequence[Token], first: int) -> list[Token]:
    """Up to four words that tell something, one after another."""
    count = 0
    while first + count < len(found) and found[first + count].is_content and count < 4:
        count += 1
    return list(found[first : first + count])


def _of(found: Sequence[Token], index: int, nouns: Nouns) -> NounPhrase | None:
    """ "of" with what follows it, "of office shoes", as a noun phrase that begins with the "of"."""
    if index + 1 >= len(found) or found[index].small != "of":
        return None
    start = index + 1 + (found[index + 1].small in DETERMINERS)
    words = _content(found, start)
    end = start + len(words)
    if (
        not words
        or words[-1].small in _BEFORE_DOT
        or not bounded(found, end)
        or not (words[-1].is_name or is_noun(words[-1].small, nouns))
    ):
        return None
    return NounPhrase(index, end, tuple(token.text for token in words), words[-1].text)


def _joined(found: Sequence[Token], first: int, last: int) -> bool:
    """Whether only single spaces stand between the tokens."""
    return all(found[n + 1].start - found[n].end == 1 for n in range(first, last - 1))


def is_noun(word: str, nouns: Nouns) -> bool:
    """Whether a word is often seen in the place of a noun, or ends as nouns do."""
    return word.endswith(_NOUN_ENDINGS) or (word in nouns and not word.endswith(_ADJECTIVAL))


_NOUN_PLACE = re.compile(
    r"\b(?:the|a|an|my|our|his|her|their)\s+([a-z]{3,})"
    r"(?=[.,;:!?)]|\s+(?:of|is|was|were|are|had|has|which|who|that|in|on|at|to|from|with|and|for|by)\b)"
)


def noun_places(text: str) -> list[str]:
    """The words that stand between a determiner and what cannot continue a noun phrase."""
    return _NOUN_PLACE.findall(text)


_AFTER_DETERMINER = re.compile(r"\b(?:the|a|an|my|our|his|her|their)\s+([a-z][a-z-]+)")


def after_determiners(text: str) -> list[str]:
    return _AFTER_DETERMINER.findall(text)


def specific(words: Sequence[str]) -> list[str]:
    """Those of some words that say what it is about."""
    dull = VAGUE | FUNCTION | GENERIC
    return [word for word in words if word.lower() not in dull and not word.lower().endswith("est")]
