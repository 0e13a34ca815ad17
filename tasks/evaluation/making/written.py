"""Questions that a language model writes: which passages it is shown, and what of its replies can be used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.evaluation.golden import Question
from tasks.evaluation.making.corpus import Corpus
from tasks.folding import squeeze
from tasks.quoted_words import Searchable

KIND = "llm"
_LEAST_LETTERS = 200
_LONGEST_QUESTION = 300
_LEAST_QUOTED = 8
"""Letters and digits."""
_LONGEST_QUOTE = 400
_COPIED_WORDS = 7
_REPEATED_WORDS = 3
_WORD = re.compile(r"\w+")
_FIELD = re.compile(r"^[\s*#>-]*(?P<name>QUESTION|ANSWER|QUOTE)[\s*]*:[\s*]*(?P<text>.*)$", re.IGNORECASE)
_POINTS_AT_TEXT = re.compile(
    r"\b(?:the|this|that) (?:passage|text|excerpt|author|document|note|entry|writer|narrator|speaker|sentence|paragraph"
    r"|quotation)\b|\bth(?:e|is) question\b",
    re.IGNORECASE,
)
_OUTER = " \t\"'“”„«»‘’"


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage to write a question for."""

    file: int
    passage: int
    text: str


class Unusable(ValueError):
    """Why a reply is no question."""


def passages(corpus: Corpus, used: frozenset[tuple[str, str]]) -> Iterator[Shown]:
    """One long enough passage of each file in an order that the seed decides; files not `used` come first.

    `used`: (collection, path) of files that have a question already.
    """
    order = corpus.shuffled(KIND)
    fresh = [number for number in order if (corpus.files[number].collection, corpus.files[number].path) not in used]
    for number in [*fresh, *(number for number in order if number not in set(fresh))]:
        file = corpus.files[number]
        found = [(i, file.text[slice(*span)]) for i, span in enumerate(file.passages)]
        usable = [(i, text) for i, text in found if sum(c.isalpha() for c in text) >= _LEAST_LETTERS]
        if usable:
            index, text = usable[corpus.chance(KIND, file.collection, file.path) % len(usable)]
            yield Shown(number, index, text)


def parse(corpus: Corpus, shown: Shown, reply: str, id_: str, model: str) -> Question:
    """The question of a reply; raises Unusable saying what is wrong with it."""
    fields = _fields(reply)
    question, quote = fields.get("question", ""), fields.get("quote", "")
    fault = _fault(question, shown.text) or _fault_of_quote(quote)
    if fault:
        raise Unusable(fault)
    found = Searchable.of(shown.text).find(quote)
    if found is None:
        raise Unusable("its quotation does not stand in the passage")
    relevant = corpus.relevant(shown.file, shown.text[slice(*found)])
    return Question(id_, question, (relevant,), True, fields.get("answer") or None, KIND, model)


def _fault(question: str, passage: str) -> str:
    """What is wrong with a question, or nothing."""
    if not question or len(question) > _LONGEST_QUESTION:
        return "it holds no question, or one of over 300 characters"
    if _POINTS_AT_TEXT.search(question):
        return "it speaks of the passage, which nobody who asks can see"
    asked, told = squeeze(question).rstrip("?").strip(), squeeze(passage)
    if not asked or asked in told or _runs(asked, _COPIED_WORDS) & _runs(told, _COPIED_WORDS):
        return "it copies the passage"
    if len(_runs(asked, _REPEATED_WORDS)) < len(_WORD.findall(asked)) - _REPEATED_WORDS + 1:
        return "it says the same twice"
    return ""


def _fault_of_quote(quote: str) -> str:
    if len(quote) > _LONGEST_QUOTE:
        return f"its quotation is over {_LONGEST_QUOTE} characters, so that it points at nothing"
    return "" if sum(c.isalnum() for c in quote) >= _LEAST_QUOTED else "it quotes nothing"


def _runs(text: str, count: int) -> set[tuple[str, ...]]:
    """Every so many words in a row."""
    words = _WORD.findall(text)
    return {tuple(words[at : at + count]) for at in range(len(words) - count + 1)}


def _fields(reply: str) -> dict[str, str]:
    """What follows each of the three labels, the first of each."""
    found: dict[str, str] = {}
    for line in reply.splitlines():
        match = _FIELD.match(line)
        if match:
            found.setdefault(match["name"].lower(), match["text"].strip(_OUTER + "*"))
    return found
