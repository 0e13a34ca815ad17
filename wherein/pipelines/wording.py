"""The words of a query against the words of an index."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.analyse import Analyser, QueryWord
from tasks.function_words import FUNCTION_WORDS
from tasks.source import Source

_NAMED = 20
# English words that tell no language from another, and so are in none of the lists, but say no more in a query.
_ENGLISH = (
    "myself|our|ours|ourselves|yours|yourself|hers|herself|himself|itself|theirs|themselves|whom|those|being|having"
    "|does|doing|because|until|while|against|between|through|during|before|after|above|below|down|off|again|further"
    "|once|here|where|why|all|both|each|few|such|nor|own|same|too|very|just|now|also|should|might|must|shall|us|upon"
)
_SMALL = frozenset(word for words in FUNCTION_WORDS.values() for word in words) | frozenset(_ENGLISH.split("|"))


def words(query: str, source: Source, strip_request_words: bool) -> list[QueryWord]:
    """The words that tell something, with their terms in the languages of a source."""
    return Analyser().query_words(query, source.languages, strip_request_words=strip_request_words)


def terms(query: str, source: Source, strip_request_words: bool) -> list[str]:
    """Distinct terms to look up, in order of first occurrence."""
    return list(dict.fromkeys(term for word in words(query, source, strip_request_words) for term in word.terms))


def unmatched(query: str, pool: Sequence[Source], strip_request_words: bool) -> list[str]:
    """The words of the query that occur nowhere, small words aside."""
    held: dict[str, bool] = {}
    for source in pool:
        for word in words(query, source, strip_request_words):
            found = any(source.snapshot.lexicon.term_id(term) is not None for term in word.terms)
            held[word.surface] = held.get(word.surface, False) or found
    return [word for word, found in held.items() if not found and word.lower() not in _SMALL]


def missing(words: Sequence[str]) -> list[str]:
    """A note for each of the words, the last for those beyond twenty."""
    notes = [f"no passage holds {word!r}" for word in words[:_NAMED]]
    return notes + [f"nor {len(words) - _NAMED:,} other words of the query"] * (len(words) > _NAMED)
