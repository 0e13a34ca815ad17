"""The texts of a corpus as the makers of questions look at them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.analyse import Analyser
from tasks.evaluation.golden import Relevant
from tasks.evaluation.making.english import after_determiners, noun_places
from tasks.evaluation.making.layout import Heading, Layout, Span, layout, opening
from tasks.folding import squeeze

_WORD = re.compile(r"[^\W\d_]+")
_LEAST_DATED = 5
_JOURNAL_SHARE = 0.5
_NOUN_SHARE = 0.06
UNKNOWN = "none"


@dataclass(frozen=True, slots=True)
class SourceText:
    """An indexed file; `date` is an ISO day that its name, front matter or text states, `passages` are its chunks."""

    collection: str
    path: str
    text: str
    passages: tuple[Span, ...]
    language: str = UNKNOWN
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that may be taken; `passages` (file, chunk) are those it was made from, at most one question each."""

    kind: str
    question: str
    relevant: tuple[Relevant, ...] = ()
    answer: str | None = None
    passages: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    files: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Sentence:
    file: int
    start: int
    end: int
    text: str


class Corpus:
    """Files by (collection, path); a word is found in every form that the keyword index takes for the same."""

    def __init__(self, files: Iterable[SourceText], seed: int = 0) -> None:
        self.files = sorted(files, key=lambda file: (file.collection, file.path))
        self.seed = seed
        self._analyser = Analyser()
        self._layouts: dict[int, Layout] = {}
        self._squeezed: dict[int, str] = {}
        self._beginnings: dict[int, list[int]] = {}
        self.kept: dict[str, Any] = {}

    # ── order ────────────────────────────────────────────────────────────────────────────────────
    def chance(self, *what: object) -> int:
        """A number that the seed and what it is for decide, whatever else the corpus holds."""
        text = "\0".join(map(str, (self.seed, *what)))
        return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

    def shuffled(self, purpose: str) -> list[int]:
        """All files in an order that the seed decides."""
        return sorted(range(len(self.files)), key=lambda n: (self.chance(purpose, *self._name(n)), n))

    def pick(self, choices: Sequence[str], *what: object) -> str:
        return choices[self.chance("pick", *what) % len(choices)]

    def _name(self, number: int) -> tuple[str, str]:
        return self.files[number].collection, self.files[number].path

    # ── kind of corpus ───────────────────────────────────────────────────────────────────────────
    @cached_property
    def languages(self) -> list[str]:
        """The most frequent first."""
        counts = Counter(file.language for file in self.files if file.language != UNKNOWN)
        return sorted(counts, key=lambda language: (-counts[language], language))

    def is_english(self, number: int) -> bool:
        """A file whose language does not show is taken for what most are written in."""
        language = self.files[number].language
        return language == "en" or (language == UNKNOWN and self.languages[:1] in ([], ["en"]))

    @cached_property
    def english(self) -> list[int]:
        return [number for number in range(len(self.files)) if self.is_english(number)]

    @cached_property
    def by_day(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, file in enumerate(self.files):
            if file.date is not None:
                found.setdefault(file.date, []).append(number)
        return dict(sorted(found.items()))

    @cached_property
    def is_journal(self) -> bool:
        """Whether at least half of the files, and five, have a day of their own."""
        dated = sum(len(numbers) for numbers in self.by_day.values())
        return dated >= max(_LEAST_DATED, _JOURNAL_SHARE * len(self.files))

    # ── words ────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def _files_by_term(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for number, file in enumerate(self.files):
            for term in set(self._analyser.document_terms(file.text, file.language)):
                found.setdefault(term, set()).add(number)
        return found

    @cached_property
    def lower_words(self) -> Counter[str]:
        """How often each word is written without a capital."""
        counts: Counter[str] = Counter()
        for file in self.files:
            counts.update(word for word in _WORD.findall(file.text) if word[0].islower())
        return counts

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words that English files often use where only a noun can stand."""
        counts = Counter(word for number in self.english for word in noun_places(self.files[number].text))
        return frozenset(word for word, count in counts.items() if count >= _NOUN_SHARE * self.lower_words[word])

    @cached_property
    def after_determiners(self) -> frozenset[str]:
        """The words that English files often use right after a determiner: nouns and what is said of them."""
        counts = Counter(word for number in self.english for word in after_determiners(self.files[number].text))
        return frozenset(word for word, count in counts.items() if count >= _NOUN_SHARE * self.lower_words[word])

    def files_with(self, words: str) -> set[int]:
        """The files that hold each of some words, anywhere and in any form; none for no word."""
        pieces = self._analyser.whole_terms(words, [*self.languages, UNKNOWN])
        sets = [set().union(*(self._files_by_term.get(term, set()) for term in terms)) for terms in pieces if terms]
        return set.intersection(*sets) if sets else set()

    def terms(self, sentence: Sentence) -> frozenset[str]:
        """The index terms of a sentence."""
        return frozenset(self._analyser.document_terms(sentence.text, self.files[sentence.file].language))

    def holds(self, terms: frozenset[str], words: str) -> bool:
        """Whether index terms hold each of some words, in any form."""
        pieces = self._analyser.whole_terms(words, [*self.languages, UNKNOWN])
        return all(not terms.isdisjoint(forms) for forms in pieces if forms)

    def files_with_any(self, words: Iterable[str]) -> set[int]:
        return set().union(*(self.files_with(word) for word in words))

    def files_saying(self, phrase: str) -> set[int]:
        """The files that hold some words one after another, whole, case and accents aside."""
        pattern = re.compile(rf"(?<!\w){re.escape(squeeze(phrase))}(?!\w)")
        return {number for number in sorted(self.files_with(phrase)) if pattern.search(self.squeezed(number))}

    def squeezed(self, number: int) -> str:
        if number not in self._squeezed:
            self._squeezed[number] = squeeze(self.files[number].text)
        return self._squeezed[number]

    def few(self, share: float = 0.02) -> int:
        """What counts as few files."""
        return max(3, int(len(self.files) * share))

    # ── places ───────────────────────────────────────────────────────────────────────────────────
    def layout(self, number: int) -> Layout:
        if number not in self._layouts:
            self._layouts[number] = layout(self.files[number].text)
        return self._layouts[number]

    def passages_at(self, number: int, start: int) -> frozenset[tuple[int, int]]:
        """The passages of a file in which a place lies."""
        spans = self.files[number].passages
        return frozenset((number, index) for index, (first, last) in enumerate(spans) if first <= start < last)

    def opens_passage(self, number: int, start: int) -> bool:
        """Whether a place belongs to the beginning of a passage."""
        ends = self._openings(number)
        return any(start < ends[index] for _, index in self.passages_at(number, start))

    def _openings(self, number: int) -> list[int]:
        """Where the beginning of each passage of a file ends."""
        if number not in self._beginnings:
            file, found = self.files[number], self.layout(number).sentences
            self._beginnings[number] = [opening(file.text, span, found) for span in file.passages]
        return self._beginnings[number]

    def sentences(self, number: int) -> Iterator[Sentence]:
        """The sentences of a file that no passage begins with, each whole in a passage."""
        passages = self.files[number].passages
        for sentence in self.all_sentences(number):
            whole = any(first <= sentence.start and sentence.end <= last for first, last in passages)
            if whole and not self.opens_passage(number, sentence.start):
                yield sentence

    def all_sentences(self, number: int) -> Iterator[Sentence]:
        text = self.files[number].text
        for start, end in self.layout(number).sentences:
            yield Sentence(number, start, end, text[start:end])

    def headings(self, number: int) -> Iterator[Heading]:
        """The headings of a file that are within a passage and not the beginning of one."""
        for heading in self.layout(number).headings:
            if self.passages_at(number, heading.start) and not self.opens_passage(number, heading.start):
                yield heading

    def relevant(self, number: int, quote: str | None = None) -> Relevant:
        file = self.files[number]
        return Relevant(file.path, quote, file.collection)

    def said_in(self, sentence: Sentence) -> Relevant:
        return self.relevant(sentence.file, sentence.text)

    def quoting(self, number: int, phrase: str) -> Relevant:
        """A file with the one sentence that holds a phrase, the file alone where several do, or none."""
        pattern = re.compile(rf"(?<!\w){re.escape(squeeze(phrase))}(?!\w)")
        found = [s.text for s in self.all_sentences(number) if pattern.search(squeeze(s.text))]
        return self.relevant(number, found[0] if len(found) == 1 else None)
