"""Words that ask rather than tell, taken off the front of a query's sentences.

Stop words elsewhere stay: BM25's inverse document frequency makes them weigh next to nothing, and every list
of them eats a name (The Who, IT, Will).
"""

from __future__ import annotations

import re
from functools import cache

from tasks.phrases import quoted_spans

# Each language: question words; words that may come before one; verbs and particles that may follow one.
_ASKING = {
    "en": (
        "what|what's|who|who's|whom|whose|when|when's|where|where's|which|why|how|how's",
        "in|on|at|by|for|from|of|to|with|since|until|about|and|so|but",
        "is|are|was|were|am|be|been|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must"
        "|many|much|often|long|old|to|there|kind of|sort of|exactly",
    ),
    "de": (
        "wer|wen|wem|wessen|was|wann|wo|woher|wohin|womit|wofür|worüber|wodurch|warum|weshalb|wieso|wie|wieviel"
        "|wieviele|welche|welcher|welches|welchen|welchem",
        "an|am|auf|bei|für|in|im|mit|nach|seit|um|von|vom|zu|und|bis",
        "ist|sind|war|waren|bin|wird|werden|wurde|wurden|hat|habe|haben|hatte|hatten|kann|können|viel|viele|oft"
        "|lange|alt|es|gibt|gab|man|macht|heißt",
    ),
    "fr": (
        "qui|que|quoi|quand|où|pourquoi|combien|quel|quelle|quels|quelles|lequel|laquelle|qu'est-ce que"
        "|qu'est-ce qui|qu'est-ce qu'|est-ce que|est-ce qu'",
        "à|a|en|de|du|dans|par|pour|avec|depuis|sur|et|chez",
        "est|sont|était|étaient|fut|a|ont|avait|est-ce que|est-ce qu'|peut|doit|fait|de|d'|s'|se|y a-t-il|sont-ils",
    ),
    "es": (
        "qué|quién|quiénes|cuándo|dónde|adónde|cómo|cuál|cuáles|cuánto|cuánta|cuántos|cuántas|por qué|para qué"
        "|quien|quienes|cuando|donde|cual|cuales|cuanto|cuanta|cuantos|cuantas|por que",
        "a|al|con|de|del|desde|en|hasta|para|por|y|¿",
        "es|son|era|eran|fue|fueron|está|están|estaba|ha|han|había|hay|hace|se|puede|debe",
    ),
    "it": (
        "chi|che|che cosa|cosa|cos'è|cos'era|quando|dov'è|dov'era|perché|quale|quali|qual|quanto|quanta|quanti"
        "|quante|com'è|com'era",
        "a|al|con|da|di|del|in|nel|per|su|e|fino a",
        "è|sono|era|erano|fu|furono|ha|hanno|aveva|avevano|si|può|deve|c'è|ci sono",
    ),
}  # fmt: skip
# Words that also mean something else ask only where a verb of their language follows.
_DOUBTFUL = {
    "fr": "comment",
    "es": "como",
    "it": "dove|come",
}
# Turkish asks in mid-sentence. The first kind shows that the query is Turkish; with it the second asks too.
_TURKISH = re.compile(
    r"\b(?:[Kk]aç(?:ıncı|tır)?(?: tane)?|[Hh]angi(?:si|leri)?(?:dir)?|[Nn]e (?:zaman|kadar)"
    r"|[Nn]ere(?:de|ye|den|si)(?:dir)?|[Nn]asıl(?:dır)?|[Nn]eden|[Nn]için|ne(?:ler)?dir|kim(?:ler)?dir|neydi|kimdi)\b"
)
_TURKISH_TOO = re.compile(r"\b(?:kim(?:e|i|in|ler)?|ne(?:yi|yin|ler)?|m[ıiuü](?:d[ıiuü]r|yd[ıiuü])?)\b")
_START = re.compile(r"(?:^|(?<=[.?!;])\s)[\s¿¡]*")


@cache
def _leads() -> list[re.Pattern[str]]:
    sure = [
        rf"(?:(?:{before})\s+)?(?:{words})(?:(?<=')|(?![\w']))(?P<verbs>(?:\s+(?:{after})(?:(?<=')|(?![\w'])))*)"
        for words, before, after in (
            (longest_first(w), longest_first(b), longest_first(a)) for w, b, a in _ASKING.values()
        )
    ]
    doubtful = [
        rf"(?:{words})\s+(?P<verbs>(?:(?:{longest_first(_ASKING[language][2])})(?![\w'])\s*)+)"
        for language, words in _DOUBTFUL.items()
    ]
    return [re.compile(pattern, re.IGNORECASE) for pattern in (*doubtful, *sure)]


def longest_first(words: str) -> str:
    """Alternatives with the longest first, so that none is cut short by another."""
    return "|".join(re.escape(w) for w in sorted(words.split("|"), key=lambda w: (-len(w), w)))


_WORDS = frozenset(word for words, _, _ in _ASKING.values() for word in words.split("|"))


def strip_question(text: str) -> str:
    """The query without the words that ask; the query itself if nothing would be left.

    "Who wrote it?" gives "wrote it?". A word in capitals or inside quotation marks never asks (WHO, "What"),
    nor does one in mid-sentence (The Who); of the verbs that follow, only those in lower case go (Will).
    """
    kept = text
    for at in reversed([m.end() for m in _START.finditer(text)]):
        if not _quoted(text, at):
            kept = kept[:at] + _without_lead(kept[at:], loud=text.isupper())
    return if_any(_without_turkish(kept), text)


def is_question_word(word: str) -> bool:
    """Whether a lower-case word asks, in one of the languages read here."""
    return word in _WORDS


def _without_turkish(text: str) -> str:
    if not _TURKISH.search(text) or quoted_spans(text):
        return text
    return _TURKISH_TOO.sub(" ", _TURKISH.sub(" ", text))


def plain_quotes(text: str) -> str:
    return text.replace("’", "'")


def _quoted(text: str, at: int) -> bool:
    return any(start < at < end for start, end in quoted_spans(text))


def _without_lead(sentence: str, *, loud: bool) -> str:
    plain = plain_quotes(sentence)
    matches = [m for m in (lead.match(plain) for lead in _leads()) if m and _asks(m, loud=loud)]
    if not matches:
        return sentence
    best = max(matches, key=lambda m: _reach(m, loud=loud))
    return sentence[_reach(best, loud=loud) :]


def _asks(match: re.Match[str], *, loud: bool) -> bool:
    """Not an abbreviation: a word of capitals only (WHO) asks only in a query of capitals."""
    words = match.group()[: match.start("verbs") - match.start()].split()
    return loud or not any(len(word) > 1 and word.isupper() for word in words)


def _reach(match: re.Match[str], *, loud: bool) -> int:
    """Where the lead ends: before the first following verb that is written as a name."""
    if loud:
        return match.end()
    at = match.start("verbs")
    for verb in re.finditer(r"\s*\S+", match.group("verbs")):
        if not verb.group().strip().islower():
            break
        at = match.start("verbs") + verb.end()
    return at


def if_any(left: str, otherwise: str) -> str:
    return left if any(c.isalnum() for c in left) else otherwise
