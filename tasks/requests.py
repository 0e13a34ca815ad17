"""The part of a query that asks for a search rather than saying what for: "find passages that mention"."""

from __future__ import annotations

import re
from functools import cache

from tasks.questions import if_any, longest_first, plain_quotes

_POLITE = "please|can you|could you|would you|bitte|s'il te plaît|s'il vous plaît|por favor|per favore"
_FIXED = (
    "i'm looking for|i am looking for|i want to know|i want to find|i would like to know|i'd like to know|search for"
    "|look for|look up|tell me about|ich suche|suche nach|je cherche|busco|sto cercando"
)
# Each language: verb; whom; determiners; the things searched; how they hold what is sought.
_ASKED_FOR = (
    (
        "find|show|give|list|get|search|tell",
        "me|us",
        "all|any|every|the|some|more|my|of",
        "passage|passages|note|notes|entry|entries|file|files|document|documents|place|places|page|pages|everything"
        "|anything|something|days|times",
        "that mention|that mentions|which mention|mentioning|that discuss|discussing|that describe|describing"
        "|that talk about|talking about|that say|that deal with|about|on|where|in which|regarding|concerning"
        "|related to|with|from",
    ),
    (
        "zeige|zeig|finde|suche|gib|nenne",
        "mir|uns",
        "alle|alles|die|meine",
        "stelle|stellen|notiz|notizen|eintrag|einträge|datei|dateien|text|texte|alles",
        "über|zu|mit|von|in denen|die erwähnen",
    ),
    (
        "trouve|trouvez|montre|montrez|cherche|donne",
        "moi|nous",
        "tous|toutes|les|des|mes",
        "passages|notes|fichiers|textes|tout",
        "qui parlent de|qui mentionnent|sur|où|à propos de|avec",
    ),
    (
        "busca|muestra|encuentra|muéstrame|dame",
        "me",
        "todas|todos|las|los|mis",
        "pasajes|notas|archivos|textos|todo",
        "que mencionan|que hablan de|sobre|de|donde|con",
    ),
    (
        "cerca|trova|mostra|mostrami|dammi|trovami",
        "mi",
        "tutte|tutti|le|i|gli|mie",
        "passaggi|note|file|testi|tutto",
        "che menzionano|che parlano di|su|di|dove|con",
    ),
)


def _pattern(verbs: str, whom: str, determiners: str, things: str, links: str) -> str:
    verb, person, which, thing, link = (
        f"(?:{longest_first(words)})(?!\\w)" for words in (verbs, whom, determiners, things, links)
    )
    held = rf"(?:{which}\s+)*{thing}(?:\s+{link})?"
    return rf"{verb}[\s-]+{person}(?:\s+{held}|\s+{link})?|{verb}\s+{held}|{thing}\s+{link}"


@cache
def _request() -> re.Pattern[str]:
    return re.compile(
        rf"\s*(?:(?:{longest_first(_POLITE)}),?\s+)*"
        rf"(?:(?:{longest_first(_FIXED)})(?!\w)|{'|'.join(_pattern(*each) for each in _ASKED_FOR)})(?!\w)",
        re.IGNORECASE,
    )


def strip_request(text: str) -> str:
    """The query without "find passages that mention" and its like; the query itself if nothing is left."""
    match = _request().match(plain_quotes(text))
    return if_any(text[match.end() :], text) if match else text
