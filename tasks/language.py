"""Which language a text is written in, or none when it does not show."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from tasks.folding import plain
from tasks.function_words import FUNCTION_WORDS, OWN_LETTERS

SAMPLE = 6000  # characters looked at
LEAST_WEIGHT = 1.5  # function words; one shared by several languages counts its share
LEAST_SHARE = 0.10  # of all words
LEAST_LEAD = 1.5  # times the next language
LETTER_WEIGHT = 1.0  # of a word with a letter of the language's own

_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]+`|\]\([^)\s]*\)|\w+://\S+|<[^<>\n]+>", re.S | re.M)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SCRIPTS = (
    ("kana", re.compile("[\u3041-\u30ff]")),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("th", re.compile("[\u0e01-\u0e4e]")),
    ("lo", re.compile("[\u0e81-\u0ece]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("km", re.compile("[\u1780-\u17d3]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hy", re.compile("[\u0531-\u0587]")),
)
_NOT_RUSSIAN = re.compile("[іїєґўјљњћђ]")
_RUSSIAN = re.compile("[ыэё]")
_SHORT = 200  # letters within which a Russian text may lack the letters Bulgarian does not have


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """Each function word and the languages it belongs to."""
    words = sorted(frozenset().union(*FUNCTION_WORDS.values()))
    return {w: tuple(lang for lang, own in FUNCTION_WORDS.items() if w in own) for w in words}


_LETTERS = {
    letter: tuple(lang for lang, own in OWN_LETTERS.items() if letter in own)
    for letter in sorted(set("".join(OWN_LETTERS.values())))
}
_LETTER = re.compile(f"[{''.join(_LETTERS)}]")


def detect_language(text: str) -> str:
    """A language code by script, else by function words and letters; "none" when unsure."""
    sample = plain(_CODE.sub(" ", text[:SAMPLE]))
    return (None if sample.isascii() else _by_script(sample)) or _by_words(sample.lower())


def _by_script(sample: str) -> str | None:
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    letters = sum(c.isalpha() for c in sample) or 1
    kana, han = counts.pop("kana"), counts.pop("han")
    if 2 * (kana + han) > letters:
        return "ja" if 10 * kana > kana + han else "zh"
    name = max(counts, key=lambda n: (counts[n], n))
    return name if 2 * counts[name] > letters else None


def _by_words(sample: str) -> str:
    words = _WORD.findall(sample)
    weights = _weights(Counter(words))
    first, second = sorted(weights, key=lambda language: (-weights[language], language))[:2]
    if weights[first] < max(LEAST_WEIGHT, LEAST_SHARE * len(words), LEAST_LEAD * weights[second]):
        return "none"
    return "none" if first == "ru" and not _reads_russian(sample) else first


def _weights(words: Counter[str]) -> dict[str, float]:
    known = _speakers()
    weights = dict.fromkeys(FUNCTION_WORDS, 0.0)
    for word, count in words.items():
        speakers = known.get(word, ())
        for language in speakers:
            weights[language] += count / len(speakers)
        if not word.isascii():
            _add_letters(weights, word, count)
    return weights


def _add_letters(weights: dict[str, float], word: str, count: int) -> None:
    for letter in sorted(set(_LETTER.findall(word))):
        for language in _LETTERS[letter]:
            weights[language] += count * LETTER_WEIGHT / len(_LETTERS[letter])


def _reads_russian(sample: str) -> bool:
    """Its neighbours share most function words but not all letters."""
    if _NOT_RUSSIAN.search(sample):
        return False
    return len(sample) <= _SHORT or _RUSSIAN.search(sample) is not None
