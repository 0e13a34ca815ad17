"""Questions for a number, a code or a name of a program, letter by letter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.evaluation.making.corpus import Corpus, Draft, Sentence
from tasks.evaluation.making.layout import unmarked
from tasks.route import is_identifier

KIND = "identifier"
_MOST_FILES = 2
_FORMS = ("{token}", "What is {token}?", "{token}", "Where do I mention {token}?")
_TOKEN = re.compile(r"(?<![\w/.:@#-])[A-Za-z]\w*(?:[-_/.]\w+)*(?![\w/@:-])")
_HEXADECIMAL = re.compile(r"[0-9a-f-]{7,}|u[0-9a-f]{4}")
_CODE = re.compile(r"`([A-Za-z_][A-Za-z0-9_.]{3,28}[A-Za-z0-9])`")
_LINK = re.compile(r"\w+://\S+|!\[[^\]]*\]\([^)]*\)")
_LEAST, _MOST = 4, 30


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One for each identifier in prose that few files hold, whatever the language."""
    for number in corpus.shuffled(KIND):
        for sentence in corpus.sentences(number):
            yield from _of(corpus, sentence)


def identifiers(text: str) -> list[str]:
    """Words of a sentence that name one thing: with a digit or an underscore, no link and no path."""
    found = [match.group().strip("_") for match in _TOKEN.finditer(unmarked(_LINK.sub(" ", text)))]
    coded = [match[1] for match in _CODE.finditer(text) if is_identifier(match[1])]
    return [token for token in dict.fromkeys([*found, *coded]) if token in coded or is_code(token)]


def is_code(token: str) -> bool:
    """Whether a word with a digit or an underscore is a name that somebody gave, no address and no digest."""
    telling = (any(c.isdigit() for c in token) or "_" in token) and not _HEXADECIMAL.fullmatch(token)
    return telling and _LEAST <= len(token) <= _MOST and is_identifier(token) and "/" not in token


def _of(corpus: Corpus, sentence: Sentence) -> Iterator[Draft]:
    for token in identifiers(sentence.text):
        holding = corpus.files_saying(token)
        if sentence.file not in holding or len(holding) > _MOST_FILES:
            continue
        english = corpus.is_english(sentence.file)
        form = corpus.pick(_FORMS, KIND, token) if english and "." not in token else "{token}"
        yield Draft(
            KIND,
            form.format(token=token),
            tuple(corpus.quoting(number, token) for number in sorted(holding)),
            passages=corpus.passages_at(sentence.file, sentence.start),
            files=frozenset(holding),
        )
