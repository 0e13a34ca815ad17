"""The one analyser of documents and queries: text in, index terms out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks import phrases as quoted
from tasks.folding import fold
from tasks.language import detect_language
from tasks.questions import is_question_word, strip_question
from tasks.requests import strip_request
from tasks.stems import OWN_LETTERS
from tasks.words import Piece, pieces

__all__ = ["Analyser", "QueryWord", "detect_language", "fold"]

VERSION = "1"  # raise it whenever the terms of any text change: kept indexes are then derived again
_LONGEST_KEPT = 48  # characters; longer runs are paragraphs without spaces, links and blobs, rarely seen twice
_OUTER = "\"'“”„«»‹›‘’()[]{}<>.,;:!?¿¡…"


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of a query as typed, and the distinct terms any of which matches it."""

    surface: str
    terms: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def _kept_terms(run: str, language: str) -> tuple[str, ...]:
    return _terms(pieces(run, language, asked=False))


def _terms(found: Iterable[Piece]) -> tuple[str, ...]:
    return tuple(term for piece in found for term in (*piece.forms, *piece.extra))


@dataclass(frozen=True, slots=True)
class Analyser:
    """Words are folded and stemmed by language; an identifier gives its whole, its parts and their runs.

    Stop words are kept: their inverse document frequency makes them weigh next to nothing.
    """

    fingerprint: str = f"wherein-words-{VERSION}"

    def document_terms(self, text: str, language: str) -> list[str]:
        """All terms of a document in order, repeated as often as they occur."""
        terms: list[str] = []
        for run in text.split():
            if len(run) <= _LONGEST_KEPT:
                terms.extend(_kept_terms(run, language))
            else:
                terms.extend(_terms(pieces(run, language, asked=False)))
        return terms

    def query_words(self, text: str, languages: Sequence[str], *, strip_request_words: bool = False) -> list[QueryWord]:
        """The words of a query that tell something, each with its terms in every language."""
        asked = strip_question(strip_request(text) if strip_request_words else text)
        runs = asked.split()
        telling = [run for run in runs if not is_question_word(run)] or runs
        words = (QueryWord(run.strip(_OUTER), self._query_terms(run, languages)) for run in telling)
        return [word for word in words if word.terms]

    def query_terms(self, text: str, languages: Sequence[str], *, strip_request_words: bool = False) -> list[str]:
        """Distinct terms of a query over several languages, in order of first occurrence."""
        words = self.query_words(text, languages, strip_request_words=strip_request_words)
        return list(dict.fromkeys(term for word in words for term in word.terms))

    def whole_terms(self, text: str, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """For each piece of the text the terms that stand for the whole of it, in any of the languages."""
        by_language = [pieces(text, language, asked=True) for language in languages or ("none",)]
        return tuple(
            tuple(dict.fromkeys(form for piece in same for form in piece.forms))
            for same in zip(*by_language, strict=False)
        )

    def phrases(self, text: str) -> list[str]:
        """The quoted phrases of a query."""
        return quoted.phrases(text)

    def detect_language(self, text: str) -> str:
        """A language code, or "none" when unsure."""
        return detect_language(text)

    def _query_terms(self, run: str, languages: Sequence[str]) -> tuple[str, ...]:
        found = (_terms(pieces(run, language, asked=True)) for language in languages or ("none",))
        terms = dict.fromkeys(term for terms in found for term in terms)
        if OWN_LETTERS.isdisjoint(languages):
            return tuple(terms)
        return tuple(term for term in terms if not term.startswith("="))
