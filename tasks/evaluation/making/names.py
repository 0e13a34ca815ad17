"""Names of people, places and things in the sentences of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tasks.evaluation.making.corpus import Corpus, Sentence
from tasks.evaluation.making.english import Token, tokens
from tasks.evaluation.making.english_words import ORDINARY
from tasks.evaluation.making.identifier import is_code
from tasks.evaluation.making.layout import unmarked
from tasks.evaluation.making.wordlist import words

TITLES = words(
    """
    mr mrs ms dr miss sir lord lady captain aunt uncle frau herr colonel doctor professor cousin major alderman
    sister brother father monsieur madame mlle prince princess duke duchess madam king queen judge bishop
    """
)
_LONGEST = 4
_LONGEST_INITIALS = 5
"""Letters; beyond that, capitals in a journal are a shout or a sign."""
_WITHOUT_SMALL_NOUNS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital."""
_SAYS = words(
    "said says told tells asked asks rang wrote writes thinks thought laughed laughs replied wants whose himself"
)
_DOES = words(
    "came comes went goes gave gives took takes brought brings got gets knows knew has had is was and who herself"
)
_PLACES = words(
    "lane street road garden gardens hall church square island quay gate inn hill bridge house park mill farm"
)
_CALENDAR = words(
    """
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba perşembe cuma
    cumartesi pazar
    """
)
"""Turkish months and days, which are written with a capital."""
_BEFORE_PERSON = words("with called named by meet met told asked")
_BEFORE_PLACE = words("in at near through towards from to")
_ELSEWHERE = re.compile(r"!\[[^\]]*\]|`[^`]*`|\]\([^)]*\)|\w+://\S+")
"""Code and addresses, in which no name of the text stands."""
_TITLE = re.compile(r"[*_\"“][^*_\"“”]* [^*_\"“”]*[*_\"”]")
"""Titles of books, and what somebody says: a single capitalised word within is seldom a name."""
_GREETING = frozenset(["dear", "hello", "hi"])


@dataclass
class Name:
    """A name as written, the sentences that hold it, and what stands around it."""

    text: str
    sentences: list[Sentence] = field(default_factory=list)
    files: set[int] = field(default_factory=set)
    person: int = 0
    place: int = 0
    titled: bool = False
    the: int = 0
    count: int = 0

    @property
    def is_person(self) -> bool:
        if self.text.split()[-1].lower() in _PLACES:
            return self.titled and not self.place
        signs = self.person + (" " in self.text)
        return self.titled or (signs > 1 and signs > self.place and not self.has_article and not self._is_written_oddly)

    @property
    def _is_written_oddly(self) -> bool:
        """Whether a word of it has a capital within, or nothing else, as the names of programs have."""
        return any(not word[1:].islower() for word in self.text.replace("-", " ").split() if len(word.strip(".")) > 1)

    @property
    def has_article(self) -> bool:
        """Whether "the" mostly stands before it."""
        return 2 * self.the > self.count

    @property
    def called(self) -> str:
        """The name as it stands in a sentence."""
        return f"the {self.text}" if self.has_article else self.text

    @property
    def is_place(self) -> bool:
        return self.place > 0 and not self.is_person


def names(corpus: Corpus) -> dict[str, Name]:
    """Every name by its text, from sentences that no passage begins with; computed once."""
    if "names" not in corpus.kept:
        corpus.kept["names"] = _collected(corpus)
    found: dict[str, Name] = corpus.kept["names"]
    return found


def _collected(corpus: Corpus) -> dict[str, Name]:
    found: dict[str, Name] = {}
    for number, file in enumerate(corpus.files):
        if file.language in _WITHOUT_SMALL_NOUNS:
            continue
        usable = {sentence.start for sentence in corpus.sentences(number)}
        english = corpus.is_english(number)
        for sentence in corpus.all_sentences(number):
            _note(found, sentence, english, sentence.start in usable)
    known = {name: entry for name, entry in found.items() if _is_proper(corpus, name)}
    return dict(sorted(known.items()))


def _note(found: dict[str, Name], sentence: Sentence, english: bool, usable: bool) -> None:
    """Note the names of a sentence; where its language is not known, not what begins it: that may be any word."""
    plain = _ELSEWHERE.sub(lambda match: " " * len(match.group()), sentence.text)
    line = tokens(plain)
    titles = [match.span() for match in _TITLE.finditer(plain)]
    for first, last in name_spans(line) if english else [span for span in name_spans(line) if span[0]]:
        if last == first + 1 and any(start <= line[first].start < end for start, end in titles):
            continue
        text = written(sentence.text, line, first, last)
        entry = found.setdefault(text, Name(text))
        entry.count += 1
        entry.files.add(sentence.file)
        if usable:
            entry.sentences.append(sentence)
        before = line[first - 1].small if first else ""
        after = line[last].small if last < len(line) else ""
        entry.person += 2 * (after in _SAYS) + (after in _DOES) + (before in _BEFORE_PERSON)
        entry.place += before in _BEFORE_PLACE
        entry.titled |= line[first].small in TITLES
        entry.the += before == "the"


def written(text: str, line: Sequence[Token], first: int, last: int) -> str:
    """The words of some tokens without a possessive ending."""
    raw = unmarked(text[line[first].start : line[last - 1].end])
    for ending in ("'s", "’s", "'", "’"):
        raw = raw.removesuffix(ending)
    return raw


def name_spans(line: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Tokens [first, last) of each name; one that begins a sentence or a quotation counts from two words on."""
    index = 0
    while index < len(line):
        last = _name_end(line, index)
        titles = all(token.small in TITLES for token in line[index:last] if token.is_word)
        if (
            last > index
            and not titles
            and not _is_quoted(line, index)
            and (not _begins(line, index) or _word_count(line, index, last) > 1)
        ):
            yield index, last
        index = max(last, index + 1)


_OPENING = '.!?:"“‘”(…*_[\\'


def _is_quoted(line: Sequence[Token], index: int) -> bool:
    return bool(index) and line[index - 1].text in '"“‘”«„'


def _begins(line: Sequence[Token], index: int) -> bool:
    """Whether a capital is no sign of a name here."""
    return not index or line[index - 1].text in _OPENING or line[index - 1].small in _GREETING


def _word_count(line: Sequence[Token], first: int, last: int) -> int:
    return sum(token.is_content for token in line[first:last])


def _name_end(line: Sequence[Token], first: int) -> int:
    """After the last token of the name that begins at `first`; `first` itself if none does."""
    index, end = first, first
    while index < len(line) and index - first < _LONGEST + 2:
        token = line[index]
        if end > first and token.start - line[index - 1].end > 1:
            break
        if token.is_name:
            index = end = index + 1
            if token.text.endswith(("'s", "’s", "'", "’")):
                break
            index += _is_dot(line, index) and token.small in TITLES
        elif _is_initial(line, index):
            index += 2
        else:
            break
    return end


def _is_dot(line: Sequence[Token], index: int) -> bool:
    return index < len(line) and line[index].text == "." and line[index].start == line[index - 1].end


def _is_initial(line: Sequence[Token], index: int) -> bool:
    return len(line[index].text) == 1 and line[index].text.isupper() and _is_dot(line, index + 1)


def _is_proper(corpus: Corpus, name: str) -> bool:
    """Whether none of its words is one that is written small elsewhere, titles aside; of several, one may be."""
    words = [word.strip(".") for word in name.split() if word.strip(".").lower() not in TITLES]
    words = [word for word in words if len(word) > 2]
    if corpus.is_journal and name.isupper() and len(name) > _LONGEST_INITIALS:
        return False
    common = [word for word in words if corpus.lower_words[word.lower()] or word.lower() in ORDINARY | _CALENDAR]
    plain = not any(c in word for word in words for c in "’'.") and not any(is_code(word) for word in words)
    plain = plain and not any(corpus.lower_words[part] for word in words for part in word.split("-")[1:])
    return bool(words) and plain and 2 * len(common) < len(words)
