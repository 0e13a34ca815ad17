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
_FIELD = re.compile(r"^[\s*#>-]*(?P<name>QUESTION|ANSWER|QUOTE)[\s*]*:[\s*]*(?P<text>.*)$", re.IGNORECASE)
_POINTS_AT_TEXT = re.compile(
    r"\b(?:the|this|that) (?:passage|text|excerpt|author|document|note|entry|writer|narrator|speaker)\b", re.IGNORECASE
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
    if not question or len(question) > _LONGEST_QUESTION:
        raise Unusable("it holds no question, or one of over 300 characters")
    if _POINTS_AT_TEXT.search(question):
        raise Unusable("it speaks of the passage, which nobody who asks can see")
    if squeeze(question).rstrip("?") == squeeze(shown.text.strip().partition("\n")[0]):
        raise Unusable("it is the passage's own first line")
    found = Searchable.of(shown.text).find(quote) if sum(c.isalnum() for c in quote) >= _LEAST_QUOTED else None
    if found is None:
        raise Unusable("its quotation does not stand in the passage")
    relevant = corpus.relevant(shown.file, shown.text[slice(*found)])
    return Question(id_, question, (relevant,), True, fields.get("answer") or None, KIND, model)


def _fields(reply: str) -> dict[str, str]:
    """What follows each of the three labels, the first of each."""
    found: dict[str, str] = {}
    for line in reply.splitlines():
        match = _FIELD.match(line)
        if match:
            found.setdefault(match["name"].lower(), match["text"].strip(_OUTER + "*"))
    return found
