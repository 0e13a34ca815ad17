"""Quoted phrases: which ones a query holds, and whether a text holds one."""

from __future__ import annotations

import re

from tasks.folding import squeeze

_OPENED = r"(?<![^\s(\[{—–-])"
_CLOSED = r"(?![^\W_])"
_QUOTED = re.compile(
    rf'{_OPENED}"(?P<straight>[^"\n]+)"{_CLOSED}'
    r"|[“„‟](?P<curly>[^“”„‟]+)[”“]|«(?P<angled>[^«»]+)»|»(?P<turned>[^«»]+)«"
    r"|「(?P<corner>[^「」]+)」|『(?P<double>[^『』]+)』"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_OUTER = ".,;:!?… \t"


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Where the quoted phrases stand, quote marks included."""
    return [match.span() for match in _QUOTED.finditer(text)]


def phrases(text: str) -> list[str]:
    """The phrases in double quotation marks of any style, in order, distinct, outer punctuation dropped."""
    inner = (str(match[match.lastgroup or 0]).strip(_OUTER) for match in _QUOTED.finditer(text))
    return list(dict.fromkeys(phrase for phrase in inner if any(c.isalnum() for c in phrase)))


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether whole words of the text read as the phrase: case, accents, spacing and quote marks aside."""
    sought = squeeze(phrase)
    return bool(sought) and _pattern(sought).search(squeeze(text)) is not None


def _pattern(sought: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if _ends_word(sought[0]) else ""
    after = r"(?!\w)" if _ends_word(sought[-1]) else ""
    return re.compile(before + re.escape(sought) + after)


def _ends_word(character: str) -> bool:
    return character.isalnum() and not _UNSPACED.match(character)
