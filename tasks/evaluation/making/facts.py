"""What English sentences tell: who did what, to what, where, for how much, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.evaluation.making.corpus import Corpus, Sentence
from tasks.evaluation.making.english import noun_phrase, specific, tokens
from tasks.evaluation.making.english_words import VAGUE
from tasks.evaluation.making.names import name_spans, names, written
from tasks.evaluation.making.verbs import BASES, INTRANSITIVE, PARTICIPLES, PREPOSITIONAL
from tasks.evaluation.making.wordlist import words

_NO_FACT_BEFORE = words(
    """
    if that which whom who what whether until than where how why unless did do does would could should might may
    must have has had not never to wish wished hope hoped since the a an of when as and
    """
)
_SELVES = {"I": "I", "we": "we", "We": "we"}
_HAVING = {"I've": "I", "I’ve": "I", "I'd": "I", "I’d": "I", "we've": "we", "we’ve": "we", "We've": "we", "We’ve": "we"}
_SENSES = words("find see hear")
"""What follows these with "to" is what somebody does, not where."""
_ADVERBS = words("also then afterwards finally duly presently just")
_BE = frozenset(["was", "were"])
_PLACES = words("at in on from to into under behind")
_TAILS = _PLACES | frozenset(["with", "for", "by"])
_SPOKEN = re.compile(r"[\"“”«»‘]")
_UNCLEAR = frozenset(["his", "her", "their", "some"])
_OURS = frozenset(["the", "my", "our"])
_MONEY = ("£", "$", "€")


@dataclass(frozen=True, slots=True)
class Fact:
    """`who` ("I", "we", a name, or a thing with its determiner) does, `done` to `thing`, both as written.

    `form` is "active", "passive" (`thing` is what it was done to, `who` is "") or "intransitive" (`thing` is "").
    """

    sentence: Sentence
    form: str
    who: str
    past: str
    base: str
    preposition: str
    thing: str
    head: str
    tail: str
    words: tuple[str, ...]
    price: str = ""
    reason: str = ""

    @property
    def place(self) -> str:
        """The tail if it says where."""
        return self.tail if self.tail.split(" ")[0] in _PLACES else ""


class Clauses:
    """One sentence, read from left to right."""

    def __init__(self, corpus: Corpus, sentence: Sentence) -> None:
        self.corpus, self.sentence = corpus, sentence
        self.line = tokens(sentence.text)
        self._names = dict(name_spans(self.line))

    def facts(self) -> Iterator[Fact]:
        index = 0
        while index < len(self.line):
            who, end, words = self._subject(index)
            fact = self._told(who, end, words) if who and not self._depends(index) else None
            if fact is not None:
                yield fact
            index = end if who else index + 1

    def _depends(self, index: int) -> bool:
        """Whether what comes before makes it no fact of its own."""
        return index > 0 and self.line[index - 1].small in _NO_FACT_BEFORE - _JOINS

    def _subject(self, index: int) -> tuple[str, int, tuple[str, ...]]:
        """Who or what begins here, where it ends, and its telling words; "" for nothing."""
        token = self.line[index]
        if token.text in _SELVES or token.text in _HAVING:
            return _SELVES.get(token.text) or _HAVING[token.text], index + 1, ()
        if index in self._names:
            end = self._names[index]
            name = written(self.sentence.text, self.line, index, end)
            return (name if self._is_person(name) else ""), end, (name,)
        noun = noun_phrase(self.line, index, self.corpus.nouns, bound=False) if token.small in _OURS else None
        if noun is None:
            return "", index + 1, ()
        return self._raw(index, noun.last).lower() if index == 0 else self._raw(index, noun.last), noun.last, noun.words

    def _is_person(self, name: str) -> bool:
        found = names(self.corpus).get(name)
        return found is not None and found.is_person

    def _told(self, who: str, at: int, words: tuple[str, ...]) -> Fact | None:
        having = self.line[at - 1].text in _HAVING
        if who in ("I", "we") and at < len(self.line) and self.line[at].text in ("had", "have"):
            having, at = True, at + 1
        at += at < len(self.line) and self.line[at].small in _ADVERBS
        if at >= len(self.line):
            return None
        if who not in ("I", "we") and self.line[at].text in _BE:
            return self._passive(who, at + 1, words)
        found = self._active(who, at, words, PARTICIPLES if having else BASES)
        intransitive = None if who in ("I", "we") or having else self._intransitive(who, at, words)
        return found or intransitive

    def _active(self, who: str, at: int, words: tuple[str, ...], bases: dict[str, str]) -> Fact | None:
        if at + 1 >= len(self.line) or who[:4].lower() in ("the ", "our "):
            return None
        past, follower = self.line[at].text, self.line[at + 1].text
        preposition = follower if (past, follower) in PREPOSITIONAL else ""
        base = PREPOSITIONAL.get((past, preposition)) or bases.get(past)
        first = at + 1 + bool(preposition)
        noun = noun_phrase(self.line, first, self.corpus.nouns) if base else None
        if base is None or noun is None or self.line[first].small in _UNCLEAR or noun.head.lower() in VAGUE:
            return None
        tail, tail_words, end = self._tail(noun.last)
        if (base in _SENSES and self._is(noun.last, "to")) or (base == "take" and not tail):
            return None
        return Fact(
            self.sentence, "active", who, past, base, preposition, self._raw(first, noun.last), noun.head, tail,
            (*noun.words, *tail_words), self._price(noun.last), self._reason(end),
        )  # fmt: skip

    def _is(self, at: int, word: str) -> bool:
        return at < len(self.line) and self.line[at].small == word

    def _passive(self, thing: str, at: int, words: tuple[str, ...]) -> Fact | None:
        base = PARTICIPLES.get(self.line[at].text) if at < len(self.line) else None
        if base is None or not self._ends(at + 1):
            return None
        tail, tail_words, end = self._tail(at + 1)
        return Fact(
            self.sentence, "passive", "", self.line[at].text, base, "", thing, words[-1], tail, (*words, *tail_words),
            reason=self._reason(end),
        )  # fmt: skip

    def _intransitive(self, who: str, at: int, words: tuple[str, ...]) -> Fact | None:
        base = INTRANSITIVE.get(self.line[at].text)
        if base is None or not self._ends(at + 1):
            return None
        tail, tail_words, _ = self._tail(at + 1)
        past = self.line[at].text
        return Fact(
            self.sentence, "intransitive", who, past, base, "", "", words[-1], tail, (*words, *tail_words)
        )  # fmt: skip

    def _ends(self, at: int) -> bool:
        """Whether the verb before this place is followed by no object."""
        return at >= len(self.line) or self.line[at].text in ".,;:" or self.line[at].small in _AFTER_VERB

    def _raw(self, first: int, last: int) -> str:
        return " ".join(self.sentence.text[self.line[first].start : self.line[last - 1].end].split())

    def _tail(self, at: int) -> tuple[str, tuple[str, ...], int]:
        """A preposition with a noun phrase that says more, its telling words, and where it ends; "" for none."""
        known = at + 1 < len(self.line) and self.line[at].text in _TAILS and self.line[at + 1].small not in _UNCLEAR
        noun = noun_phrase(self.line, at + 1, self.corpus.nouns) if known else None
        if noun is None or not specific(noun.words) or noun.head.lower() in VAGUE:
            return "", (), at
        return self._raw(at, noun.last), noun.words, noun.last

    def _price(self, at: int) -> str:
        """What stands after "for" if it is money."""
        if at + 1 < len(self.line) and self.line[at].small == "for" and self.line[at + 1].text.startswith(_MONEY):
            return self.line[at + 1].text
        return ""

    def _reason(self, at: int) -> str:
        """The clause after "because"; "" if there is none, or it is short or long."""
        if at >= len(self.line) or self.line[at].small != "because":
            return ""
        clause = re.split(r"[.;:!?]", self.sentence.text[self.line[at].end :])[0].strip()
        return clause if 3 <= len(clause.split()) <= 25 else ""


_JOINS = frozenset({"and", "when", "as"})
_AFTER_VERB = _TAILS | words(
    """
    yesterday today this last again on and but at while when because after before so which with early late the
    """
) - {"the"}


def facts(corpus: Corpus, sentence: Sentence) -> list[Fact]:
    """The facts of an English sentence that quotes nobody; found once."""
    found: dict[tuple[int, int], list[Fact]] = corpus.kept.setdefault("facts", {})
    place = (sentence.file, sentence.start)
    if place not in found:
        found[place] = [] if _SPOKEN.search(sentence.text) else list(Clauses(corpus, sentence).facts())
    return found[place]


_PAID = re.compile(
    r"\b(?:I|[Ww]e) (?:paid|gave) (?:\w+ )?(?P<sum>[£$€][\d,.]*\d)(?: \w+)? for (?P<thing>(?:the|a|an|my|our) "
    r"[a-z-]+(?: [a-z-]+){0,2})(?=[.,;:]| (?:and|but|in|at|on|from|which|to|with)\b)"
)
_COST = re.compile(
    r"\b(?P<thing>[Tt]he [a-z-]+(?: [a-z-]+){0,2}) (?:cost|costs|came to) (?:me |us )?(?P<sum>[£$€][\d,.]*\d)"
)


@dataclass(frozen=True, slots=True)
class Price:
    """What was paid for something."""

    sentence: Sentence
    thing: str
    amount: str


def prices(sentence: Sentence) -> Iterator[Price]:
    """The sums that an English sentence says were paid for a thing."""
    for pattern in (_PAID, _COST):
        for match in pattern.finditer(sentence.text):
            thing = match["thing"]
            yield Price(sentence, thing[0].lower() + thing[1:], match["sum"])
