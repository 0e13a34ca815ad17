"""Answers without a language model: the best sentences of the passages, quoted and cited."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.analyse import Analyser
from tasks.cite import REFUSAL
from tasks.function_words import FUNCTION_WORDS
from tasks.quoted_words import Searchable
from tasks.quotes import quotations
from tasks.scripts import quotable
from tasks.sentences import wrapped_sentences

MOST_SENTENCES = 5
LONGEST_CHARACTERS = 600
LEAST_SHARE = 0.35
"""Of the best sentence's score: what lies below says little to the question."""
TYPICAL_CHARACTERS = 200
_SMALL = frozenset(word for words in FUNCTION_WORDS.values() for word in words)
_ITEM = re.compile(r"\A(?:[-*+•>#|]+|\d{1,3}[.)])\s+")
_MARKS = (("“", "”"), ("«", "»"), ("「", "」"), ('"', '"'))


@dataclass(frozen=True, slots=True)
class _Sentence:
    marker: int
    start: int
    text: str
    score: float


def extract(question: str, passages: Sequence[str]) -> str:
    """Sentences that share most with the question, rare terms and early passages weighing more.

    REFUSAL where none shares any. The discount by rank is that of DCG (Järvelin and Kekäläinen, 2002).
    In order of score, then of passage and place. The same input gives the same text.
    """
    best: list[_Sentence] = []
    for sentence in sorted(_scored(question, passages), key=lambda s: (-s.score, s.marker, s.start)):
        if len(best) == MOST_SENTENCES or sentence.score < LEAST_SHARE * (best or [sentence])[0].score:
            break
        if not any(Searchable.of(other.text).find(sentence.text) for other in best):
            best.append(sentence)
    return "\n\n".join(f"{_quoted(sentence.text)} [{sentence.marker}]" for sentence in best) or REFUSAL


def _scored(question: str, passages: Sequence[str]) -> list[_Sentence]:
    analyser = Analyser()
    languages = sorted({analyser.detect_language(text) for text in (question, *passages)})
    asked = _asked(analyser, question, languages)
    terms = [_terms(analyser, passage, languages) for passage in passages]
    seen = Counter(term for found in terms for term in sorted(found & asked))
    weight = {term: math.log(1 + len(passages) / seen[term]) for term in sorted(seen)}
    found: list[_Sentence] = []
    for marker, passage in enumerate(passages, start=1):
        for start, end in wrapped_sentences(passage):
            text = _ITEM.sub("", passage[start:end])
            shared = _terms(analyser, text, languages) & asked
            length = math.sqrt(1 + len(text) / TYPICAL_CHARACTERS)
            score = math.fsum(weight.get(term, 0.0) for term in sorted(shared)) / length / math.log2(1 + marker)
            if score > 0 and _can_be_quoted(text):
                found.append(_Sentence(marker, start, text, score))
    return found


def _asked(analyser: Analyser, question: str, languages: Sequence[str]) -> frozenset[str]:
    """The terms of the question's words, function words left out unless there are no others."""
    words = analyser.query_words(question, languages)
    telling = [word for word in words if word.surface.lower() not in _SMALL] or words
    return frozenset(term for word in telling for term in word.terms)


def _terms(analyser: Analyser, text: str, languages: Sequence[str]) -> frozenset[str]:
    return frozenset(term for language in languages for term in analyser.document_terms(text, language))


def _can_be_quoted(text: str) -> bool:
    return len(text) <= LONGEST_CHARACTERS and quotable(text)


def _quoted(text: str) -> str:
    """The text in the first quotation marks that enclose all of it, on one line."""
    flat = " ".join(text.split())
    for opening, closing in _MARKS:
        quoted = f"{opening}{flat}{closing}"
        if [(found.start, found.end) for found in quotations(quoted)] == [(0, len(quoted))]:
            return quoted
    return f"“{flat}”"
