"""Questions in other words than those of the passage that answers them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tasks.evaluation.making import heading, howto, phrase
from tasks.evaluation.making.corpus import Corpus, Draft, Sentence
from tasks.evaluation.making.english import specific, tokens
from tasks.evaluation.making.fact import clause, draft, tellings
from tasks.evaluation.making.facts import Fact, facts
from tasks.evaluation.making.layout import Heading, unmarked
from tasks.evaluation.making.synonyms import DOING, EVERYDAY, PARTICLES, TECHNICAL, VERBS
from tasks.evaluation.making.verbs import GERUNDS

KIND = "paraphrase"
_LEAST_CHANGED = 1 / 3
_WORD = re.compile(r"\b(?:(?P<article>[Aa])n? )?(?P<word>[A-Za-z]+(?:-[A-Za-z]+)*)")
_HOW = ("How do I {what}?", "What is a way to {what}?", "how to {what}")
_ABOUT = ("What did I write about {the}?", "Where do I mention {the}?", "{the}")
_NOTED = ("What do my notes say about {the}?", "{the}")


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """At most one a sentence, in English, with at least a third of the telling words replaced."""
    for number in corpus.shuffled(KIND):
        if not corpus.is_english(number):
            continue
        for title in corpus.headings(number):
            yield from _of_heading(corpus, number, title)
        for sentence in corpus.sentences(number):
            yield from _of_sentence(corpus, sentence)


def _of_sentence(corpus: Corpus, sentence: Sentence) -> Iterator[Draft]:
    for fact in facts(corpus, sentence):
        yield from _of_fact(corpus, fact)
    if corpus.layout(sentence.file).has_code:
        for what in howto.instructions(corpus, sentence):
            yield from _of_instruction(corpus, sentence, what)
    for found in phrase.phrases(corpus, sentence):
        yield from _of_phrase(corpus, found)


def replaced(words: str, others: Mapping[str, str]) -> tuple[str, int]:
    """The words with each that has another one replaced, and how many were."""
    count = sum(match["word"] in others for match in _WORD.finditer(words))
    return _WORD.sub(lambda match: _other(match, others), words), count


def _other(match: re.Match[str], others: Mapping[str, str]) -> str:
    other = others.get(match["word"])
    if other is None:
        return match.group()
    article = f"{match['article']}{'n' if other[0] in 'aeiou' else ''} " if match["article"] else ""
    return article + other


def _words(corpus: Corpus, number: int) -> Mapping[str, str]:
    return TECHNICAL if corpus.layout(number).has_code else EVERYDAY


def enough(changed: int, telling: Sequence[str]) -> bool:
    return changed > 0 and changed >= _LEAST_CHANGED * len(telling)


def only_here(corpus: Corpus, question: str, files: frozenset[int]) -> bool:
    """Whether no other file holds all the words in which it is asked now."""
    telling = specific([token.text for token in tokens(question) if token.is_word])
    return bool(telling) and corpus.files_with(" ".join(telling)) <= files


def _of_fact(corpus: Corpus, fact: Fact) -> Iterator[Draft]:
    told = tellings(corpus, fact)
    verb = " ".join(part for part in (fact.base, fact.preposition) if part)
    thing, changed = replaced(fact.thing, _words(corpus, fact.sentence.file))
    changed += verb in VERBS and fact.form == "active"
    if not told or fact.form != "active" or not enough(changed, [*specific(fact.words), verb]):
        return
    other = VERBS.get(verb, verb)
    asked = clause(fact, thing=thing).replace(f" {verb} ", f" {other} ", 1)
    start = "When" if corpus.files[fact.sentence.file].date else "Where do I say when"
    question = f"{start} {asked}?"
    if start == "When" and only_here(corpus, thing, frozenset(sentence.file for sentence in told)):
        yield draft(corpus, KIND, told, question)


def _of_instruction(corpus: Corpus, sentence: Sentence, what: str) -> Iterator[Draft]:
    first, _, rest = what.partition(" ")
    if rest.split()[0] in PARTICLES or "<" in rest:
        return
    other, changed = replaced(rest, TECHNICAL)
    telling = specific([token.text for token in tokens(what)])
    if first in DOING and enough(changed + 1, telling) and changed + 1 >= 2:
        text = f"{DOING[first]} {other}"
        if only_here(corpus, text, frozenset({sentence.file})):
            yield draft(corpus, KIND, [sentence], corpus.pick(_HOW, KIND, what).format(what=text))


def _of_heading(corpus: Corpus, number: int, found: Heading) -> Iterator[Draft]:
    title, quote = heading.usable(corpus, number, found)
    first, _, rest = title.partition(" ")
    doing = GERUNDS.get(first.lower(), first.lower())
    if not quote or doing not in DOING or not rest or rest.split()[0] in PARTICLES:
        return
    other, changed = replaced(rest, TECHNICAL)
    text = f"{DOING[doing]} {other}"
    if enough(changed + 1, specific(rest.split())) and only_here(corpus, text, frozenset({number})):
        yield Draft(
            KIND,
            corpus.pick(_HOW, KIND, title).format(what=unmarked(text)),
            (corpus.relevant(number, quote),),
            passages=corpus.passages_at(number, found.start),
            files=frozenset({number}),
        )


def _of_phrase(corpus: Corpus, found: phrase.Phrase) -> Iterator[Draft]:
    other, changed = replaced(found.the, _words(corpus, found.sentence.file))
    holding = frozenset(corpus.files_saying(found.bare))
    if not enough(changed, specific(found.noun.words)) or not phrase.rare(corpus, found):
        return
    if only_here(corpus, other, holding):
        form = corpus.pick(_ABOUT if corpus.is_journal else _NOTED, KIND, found.bare)
        yield draft(corpus, KIND, [found.sentence], form.format(the=other))
