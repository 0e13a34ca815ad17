"""Case, accents and look-alike punctuation folded away, so that what reads the same compares the same."""

from __future__ import annotations

import re
import unicodedata

_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ′`´＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200c\u200d\u2060\ufeff", None),
    }
)
_FRACTIONS = re.compile("(?=[¼½¾⅐-⅞↉])")
# A mark on a Latin or Greek letter is an accent; elsewhere (が, й, क़) it makes another letter.
_ACCENTS = re.compile("(?<=[a-z\u00df-\u024f\u0250-\u02af\u0370-\u03ff])[\u0300-\u036f]+")
_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]")
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "þ": "th", "ё": "е"}
)
_TURKISH = str.maketrans({"I": "ı", "İ": "i"})
_SPELLED_OUT = {
    "de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"}),
    "da": str.maketrans({"å": "aa", "ø": "oe"}),
    "no": str.maketrans({"å": "aa", "ø": "oe"}),
}


def plain(text: str) -> str:
    """Compatibility forms, quote marks, dashes and invisible characters made plain; case and accents kept."""
    if text.isascii():
        return text.replace("`", "'") if "`" in text else text
    spaced = _FRACTIONS.sub(" ", text.translate(_PUNCTUATION))
    return unicodedata.normalize("NFKC", spaced).translate(_PUNCTUATION)


def lower(word: str, language: str) -> str:
    """Lower case as the language writes it: Turkish I is ı, and İ is i."""
    if language == "tr":
        word = word.translate(_TURKISH)
    return unicodedata.normalize("NFC", word.lower())


def fold(text: str) -> str:
    """Case and accents folded away; folding twice changes nothing more."""
    if text.isascii():
        return text.lower()
    caseless = unicodedata.normalize("NFKC", text).casefold()
    marked = unicodedata.normalize("NFKD", caseless).casefold()
    bare = _POINTS.sub("", _ACCENTS.sub("", unicodedata.normalize("NFKD", marked)))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", bare).translate(_LETTERS))


def spelled_out(word: str, language: str) -> str:
    """A lower-case word with its umlauts as the language writes them without: Häuser as Haeuser."""
    table = _SPELLED_OUT.get(language)
    return word.translate(table) if table else word


def squeeze(text: str) -> str:
    """Text as quotations are compared: folded, punctuation plain, each run of white space one space."""
    return " ".join(fold(plain(text)).split())
