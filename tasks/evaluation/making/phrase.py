"""Questions for a thing by the words that only one or two files put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.evaluation.making.corpus import Corpus, Draft, Sentence
from tasks.evaluation.making.english import NounPhrase, Token, noun_phrase, specific, tokens
from tasks.evaluation.making.layout import unmarked
from tasks.evaluation.making.wordlist import words

KIND = "phrase"
_MOST_FILES = 2
_JOURNAL = ("What did I write about {the}?", "Where do I mention {the}?", "{bare}")
_NOTED = ("What do my notes say about {the}?", "Which note mentions {the}?", "{bare}")
_NOT_MINE = frozenset(["his", "her", "their"])


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase as it stands in a sentence: `bare` without determiner, `the` with one that any reader follows."""

    sentence: Sentence
    noun: NounPhrase
    bare: str
    the: str


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """At most one a sentence, in English."""
    for number in corpus.shuffled(KIND):
        if corpus.is_english(number):
            for sentence in corpus.sentences(number):
                found = [phrase for phrase in phrases(corpus, sentence) if rare(corpus, phrase)]
                yield from (_draft(corpus, phrase) for phrase in found[:1])


def phrases(corpus: Corpus, sentence: Sentence) -> list[Phrase]:
    """The noun phrases of a sentence that begin with a determiner and have two telling words; found once."""
    found: dict[tuple[int, int], list[Phrase]] = corpus.kept.setdefault("phrases", {})
    place = (sentence.file, sentence.start)
    if place not in found:
        found[place] = list(_phrases(corpus, sentence))
    return found[place]


def _phrases(corpus: Corpus, sentence: Sentence) -> Iterator[Phrase]:
    line = tokens(sentence.text)
    for index, token in enumerate(line):
        noun = noun_phrase(line, index, corpus.nouns) if token.text in _STARTS else None
        if noun is not None and len(specific(noun.words)) >= 2 and _is_thing(corpus, line, noun):
            yield _phrase(sentence, line, noun)


def _is_thing(corpus: Corpus, line: list[Token], noun: NounPhrase) -> bool:
    """Whether it is no name, and nothing in it looks like a verb or an adverb."""
    inner = [token for token in line[noun.first + 1 : noun.last - 1] if token.is_content]
    seen = all(token.is_name or token.small in corpus.after_determiners for token in inner)
    before_of = [token.text for token in line[noun.first + 1 : noun.last]]
    if "of" in before_of and len(specific(before_of[: before_of.index("of")])) < 2:
        return False
    if line[noun.last - 1].text.endswith("ing") and line[noun.last - 2].is_name:
        return False
    clear = not any(token.text in _NOT_MINE for token in line[noun.first + 1 : noun.last])
    return seen and clear and not all(word[0].isupper() for word in noun.words)


_STARTS = words("the a an my our his her their")


def _phrase(sentence: Sentence, line: list[Token], noun: NounPhrase) -> Phrase:
    bare = unmarked(sentence.text[line[noun.first + 1].start : line[noun.last - 1].end])
    determiner = line[noun.first].small
    return Phrase(sentence, noun, bare, f"{'the' if determiner in _NOT_MINE else determiner} {bare}")


def rare(corpus: Corpus, phrase: Phrase) -> bool:
    """Whether one or two files alone say it, and few hold its words at all."""
    if not all(word.replace("-", "").isalpha() for word in phrase.noun.words):
        return False
    telling = specific(phrase.noun.words)
    rarest = min(len(corpus.files_with(word)) for word in telling)
    fits = rarest <= 3 * corpus.few() and _solid(corpus, phrase, telling)
    holding = corpus.files_saying(phrase.bare) if fits else set()
    return 0 < len(holding) <= _MOST_FILES and len(corpus.files_with(phrase.bare)) <= corpus.few()


def _solid(corpus: Corpus, phrase: Phrase, telling: list[str]) -> bool:
    """Whether it names a thing: two nouns, a name within it, or a rare noun; nothing abstract before "of"."""
    first, of, _ = phrase.bare.partition(" of ")
    if of and first.split()[-1].endswith(_ABSTRACT):
        return False
    nouns = [w for w in telling[:-1] if w[0].isupper() or "-" in w or w.endswith("ing") or w in corpus.nouns]
    return bool(nouns) or len(corpus.files_with(phrase.noun.head)) <= corpus.few()


_ABSTRACT = ("tion", "sion", "ness", "ity", "ence", "ance", "ment", "ship", "ing", "th", "cy", "al")


def _draft(corpus: Corpus, phrase: Phrase) -> Draft:
    sentence, holding = phrase.sentence, corpus.files_saying(phrase.bare)
    form = corpus.pick(_JOURNAL if corpus.is_journal else _NOTED, KIND, phrase.bare)
    relevant = [corpus.said_in(sentence)]
    relevant += [corpus.quoting(number, phrase.bare) for number in sorted(holding - {sentence.file})]
    return Draft(
        KIND,
        form.format(the=phrase.the, bare=phrase.bare),
        tuple(relevant),
        passages=corpus.passages_at(sentence.file, sentence.start),
        files=frozenset(holding),
    )
