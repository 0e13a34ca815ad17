"""Questions that nothing answers, though all that they speak of sounds like the corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import pairwise, zip_longest

from tasks.evaluation.making import howto, phrase
from tasks.evaluation.making.corpus import Corpus, Draft
from tasks.evaluation.making.dates import MONTHS, day_question
from tasks.evaluation.making.english import is_noun, specific
from tasks.evaluation.making.identifier import identifiers
from tasks.evaluation.making.names import TITLES, names
from tasks.evaluation.making.verbs import CONCRETE, PASTS
from tasks.evaluation.making.wordlist import words

KIND = "near-miss"
_FEW_DAYS = 10
_ENOUGH = 400
_SAID = (
    "What did {name} say about {the}?",
    "When did I talk with {name} about {the}?",
    "What does {name} think of {the}?",
)


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One of each sort in turn; that nothing answers is checked by words, in every form the index knows."""
    sorts: list[Callable[[Corpus], Iterator[str]]] = [met, strangers, undone, days, codes, tools]
    for round_ in zip_longest(*(sort(corpus) for sort in sorts)):
        yield from (Draft(KIND, question) for question in round_ if question)


def met(corpus: Corpus) -> Iterator[str]:
    """A person and a thing of the corpus that no file holds both of."""
    people = _people(corpus)
    things = [found for found in _things(corpus) if len(specific(found.noun.words)) >= 2]
    for number, found in enumerate(things if people and corpus.is_journal else []):
        name = people[corpus.chance(KIND, number, found.bare) % len(people)]
        about = [corpus.files_with(word) for word in specific([found.noun.head]) or [found.bare]]
        if not corpus.files_with(name.split()[-1]) & set().union(*about):
            yield corpus.pick(_SAID, KIND, name, found.bare).format(name=name, the=found.the)


def _people(corpus: Corpus) -> list[str]:
    """People whom several files name."""
    found = [name for name, entry in names(corpus).items() if entry.is_person and entry.count >= 3]
    return sorted(found, key=lambda name: (corpus.chance(KIND, "person", name), name))


def _things(corpus: Corpus) -> Iterator[phrase.Phrase]:
    for number in corpus.shuffled(KIND):
        if corpus.is_english(number):
            for sentence in corpus.sentences(number):
                yield from (found for found in phrase.phrases(corpus, sentence) if phrase.rare(corpus, found))


def strangers(corpus: Corpus) -> Iterator[str]:
    """One person's first name with another's last name, where no file holds both."""
    full = [name.split() for name, entry in names(corpus).items() if entry.is_person and _is_full(name)]
    order = sorted(full, key=lambda parts: (corpus.chance(KIND, "name", *parts), parts))
    for (first, own), (_, last) in pairwise(order):
        if own != last and not corpus.files_with(first) & corpus.files_with(last):
            yield f"Who is {first} {last}?" if corpus.english else f"{first} {last}"


def _is_full(name: str) -> bool:
    """Whether it is a first and a last name."""
    parts = name.split()
    return len(parts) == 2 and "." not in name and parts[0].lower() not in {*TITLES, "st"}


def undone(corpus: Corpus) -> Iterator[str]:
    """Something done to a thing to which no file says that it was done."""
    for found in _things(corpus) if corpus.is_journal else ():
        head = found.noun.head
        verb = corpus.pick(CONCRETE, KIND, found.the)
        thing = head.islower() and head not in _PEOPLE and not head.endswith(_ABSTRACT) and " of " not in found.the
        if thing and is_noun(head, corpus.nouns) and not _told(corpus, verb, head):
            yield f"When did I {verb} {found.the}?"


_ABSTRACT = ("tion", "sion", "ness", "ity", "ence", "ance", "ment", "ship", "our", "ing", "ism", "cy", "th")
_PEOPLE = words(
    """
    surgeon doctor messenger wife husband woman man boy girl maid servant parson companion fellow lady gentleman mother
    father brother sister son daughter child uncle aunt cousin neighbour friend captain clerk master mistress king queen
    tailor widow baker grocer butcher officer soldier seaman committee council family company people crew choir day week
    noise sound wind weather word story news face voice hand hair eye leg foot back head sermon play discourse visit
    journey dinner supper line wall sky air light river street church news fashion church house trade war peace
    """
)
"""Heads of noun phrases that nobody buys or loses."""


def _told(corpus: Corpus, verb: str, head: str) -> bool:
    """Whether a file holds a thing and one of the words for what is done to it."""
    same = [verb, PASTS.get(verb, verb), *_ALIKE.get(verb, ())]
    return bool(corpus.files_with(head) & corpus.files_with_any(same)) or len(corpus.files_with(head)) > corpus.few()


_ALIKE = {
    "buy": ("purchase", "pay", "cost"), "sell": ("sale",), "lose": ("missing", "stolen"), "find": ("discover",),
    "break": ("broken", "smash", "crack", "snap"), "repair": ("mend", "fix"), "paint": ("colour", "varnish"),
    "borrow": ("lend", "lent", "loan"), "clean": ("wash", "wipe"), "fetch": ("bring", "brought", "collect"),
    "burn": ("fire", "burnt"),
}  # fmt: skip


def days(corpus: Corpus) -> Iterator[str]:
    """Days within the span of the corpus that no file has, and that no file soon after speaks of."""
    known = [date.fromisoformat(day) for day in corpus.by_day]
    between = (known[-1] - known[0]).days if len(known) >= 5 else 0
    missing = [known[0] + timedelta(days=n) for n in range(between) if known[0] + timedelta(days=n) not in set(known)]
    for day in sorted(missing, key=lambda day: (corpus.chance(KIND, "day", day), day))[:_ENOUGH]:
        if not _spoken_of(corpus, day):
            yield day_question(corpus, day.isoformat())


def _spoken_of(corpus: Corpus, day: date) -> bool:
    """Whether a file of the next days has the weekday or the number of a day, or any file its date in words."""
    for days_later in range(1, _FEW_DAYS + 1):
        for number in corpus.by_day.get((day + timedelta(days=days_later)).isoformat(), ()):
            text = corpus.squeezed(number)
            if days_later <= 2 or day.strftime("%A").lower() in text or f" {day.day}th" in text:
                return True
    month = MONTHS[day.month - 1]
    forms = (f"{day.day} {month}", f"{month} {day.day}", f"{day.day}th of {month}", f"{day.day}th {month}")
    return any(corpus.files_saying(form) for form in (*forms, day.isoformat()))


def codes(corpus: Corpus) -> Iterator[str]:
    """An identifier with its last figures changed."""
    for number in corpus.shuffled(f"{KIND} codes"):
        found = [token for sentence in corpus.sentences(number) for token in identifiers(sentence.text)]
        altered = [other for token in found if (other := _altered(corpus, token)) and not corpus.files_with(other)]
        for other in altered[:1]:
            yield f"What is {other}?" if corpus.is_english(number) else other


_NUMBERED = re.compile(r"[A-Za-z][A-Za-z0-9-]*[-0-9]\d\d")


def _altered(corpus: Corpus, token: str) -> str:
    """The token with its last two figures moved on; "" if it is not numbered."""
    if not _NUMBERED.fullmatch(token):
        return ""
    return f"{token[:-2]}{(int(token[-2:]) + 3 + corpus.chance(KIND, token) % 90) % 100:02}"


def tools(corpus: Corpus) -> Iterator[str]:
    """An instruction with the name in it replaced by another that none of the files on the rest holds."""
    known = {name for name, entry in names(corpus).items() if entry.count >= 2 and not entry.is_person}
    told = [what for number in corpus.shuffled(f"{KIND} tools") for what in _instructions(corpus, number)]
    held = [(what, [word for word in what.split() if word in known]) for what in told]
    usable = [(what, words[0]) for what, words in held if len(words) == 1]
    for (what, name), (_, other) in pairwise(usable):
        rest = [word for word in specific(what.split()[1:]) if word != name and word.isalpha()]
        apart = not any(corpus.files_with(word) & corpus.files_with(other) for word in rest[-2:])
        if rest and name != other and apart:
            yield f"How do I {what.replace(name, other)}?"


def _instructions(corpus: Corpus, number: int) -> Iterator[str]:
    if corpus.is_english(number) and corpus.layout(number).has_code:
        for sentence in corpus.sentences(number):
            yield from howto.instructions(corpus, sentence)
