"""The forms under which a single word is indexed and asked for."""

from __future__ import annotations

import threading
from typing import Any

from tasks.folding import fold, lower, spelled_out

STEMMED = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_ACCENTED = frozenset(("ca", "da", "de", "es", "fi", "fr", "ga", "hu", "it", "lt", "no", "pt", "ro", "sv", "tr"))
# Accented letters are letters of their own here: most words have one, and asking for exact forms too would count
# those words twice (Turkish questions, nDCG@10: 0.94 without, 0.91 with).
OWN_LETTERS = frozenset({"cs", "da", "de", "fi", "hu", "lt", "no", "pl", "ro", "sv", "tr"})
UNSTEMMED = ("cs", "ja", "km", "ko", "lo", "my", "none", "pl", "th", "zh")
LANGUAGES = tuple(sorted((*STEMMED, *UNSTEMMED)))

_own = threading.local()  # a Stemmer keeps a buffer and must not be shared between threads


def _stemmer(language: str) -> Any:
    kept: dict[str, Any] = _own.__dict__.setdefault("stemmers", {})
    if language not in kept:
        import Stemmer

        kept[language] = Stemmer.Stemmer(STEMMED[language], 0)
    return kept[language]


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word; the word itself where the language has no stemmer."""
    return str(_stemmer(language).stemWord(word)) if language in STEMMED else word


def word_forms(word: str, language: str, *, asked: bool) -> tuple[str, ...]:
    """Distinct index terms of a word without digits, any one of which stands for it.

    Some stemmers know accents (ocupación is a form of ocupar), and people leave them out (ocupacion). There a
    document's accented word is indexed by its folded stem and, marked "~", by the stem of what people type
    without accents; a query's word looks for both kinds, and no two words agree in more than one term.
    """
    small = lower(word, language)
    if language not in _ACCENTED:
        bare = fold(small)
        return (stem(bare, language) or bare or small,)
    main = fold(stem(small, language)) or fold(small) or small
    if small.isascii():
        return (main, f"~{main}") if asked else (main,)
    typed = (stem(fold(small), language), stem(fold(spelled_out(small, language)), language))
    others = dict.fromkeys(form for form in typed if form and form != main)
    return (main, *(form if asked else f"~{form}" for form in others))


def exact_form(word: str, language: str) -> str | None:
    """An extra term for a word that folding changes, so that the accented form prefers itself."""
    if word.isascii():
        return None
    small = lower(word, language)
    return f"={small}" if fold(small) != small else None
