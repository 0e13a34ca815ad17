"""Questions for a person, a place or a thing by its name."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.evaluation.making.corpus import Corpus, Draft
from tasks.evaluation.making.names import Name, names

KIND = "name"
_MOST_FILES = 3
_LEAST_ELSEWHERE = 2
"""Times that a name of one word must occur where the language is not English: a capital alone says little there."""
_PERSON = ("Who is {name}?", "What did I write about {name}?", "{name}", "Who is {name}?")
_PLACE = ("What did I write about {name}?", "Where do I mention {name}?", "{name}")
_THING = ("What did I write about {name}?", "Where do I mention {name}?", "{name}")
_NOTED = ("What do my notes say about {name}?", "{name}", "Which note is about {name}?")


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One for each name that few files hold, whatever the language."""
    found = names(corpus)
    order = sorted(found, key=lambda name: (corpus.chance(KIND, name), name))
    for name in order:
        if found[name].sentences and not is_part(name, found):
            yield from _draft(corpus, found[name])


def is_part(name: str, found: dict[str, Name]) -> bool:
    """Whether longer names hold this one, and not much more seldom than it stands alone."""
    longer = sum(entry.count for other, entry in found.items() if name != other and f" {name} " in f" {other} ")
    return 3 * longer > found[name].count


def _draft(corpus: Corpus, name: Name) -> Iterator[Draft]:
    if not corpus.is_english(name.sentences[0].file) and " " not in name.text and name.count < _LEAST_ELSEWHERE:
        return
    holding = corpus.files_saying(name.text)
    if not 0 < len(holding) <= _MOST_FILES:
        return
    sentence = name.sentences[0]
    yield Draft(
        KIND,
        _question(corpus, name),
        tuple(corpus.quoting(number, name.text) for number in sorted(holding)),
        passages=corpus.passages_at(sentence.file, sentence.start),
        files=frozenset(holding),
    )


def _question(corpus: Corpus, name: Name) -> str:
    if not corpus.is_english(name.sentences[0].file):
        return name.text
    forms = _PERSON if name.is_person else _PLACE if name.is_place else _THING
    if not corpus.is_journal and (not name.is_person or " " not in name.text):
        forms = _NOTED
    return corpus.pick(forms, KIND, name.text).format(name=name.called if corpus.is_journal else name.text)
