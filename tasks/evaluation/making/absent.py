"""Questions that nothing answers, though all that they speak of sounds like the corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import pairwise, permutations, zip_longest

from tasks.calendar_words import MONTHS as MONTH_NAMES
from tasks.evaluation.making import howto, phrase
from tasks.evaluation.making.corpus import Corpus, Draft
from tasks.evaluation.making.dates import MONTHS, day_question
from tasks.evaluation.making.english import noun_phrase, specific, tokens
from tasks.evaluation.making.english_words import FUNCTION, ORDINARY
from tasks.evaluation.making.identifier import identifiers
from tasks.evaluation.making.names import TITLES, names
from tasks.evaluation.making.verbs import CONCRETE, PASTS
from tasks.evaluation.making.wordlist import words

KIND = "near-miss"
_FEW_DAYS = 10
_ENOUGH = 400
_ALONE = 30
"""Rounds after which a sort that is left alone gives no more: a set of one sort is no measure."""
_SAID = (
    "What did {name} say about {the}?",
    "When did I talk with {name} about {the}?",
    "What does {name} think of {the}?",
)


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """One of each sort in turn; that nothing answers is checked by words, in every form the index knows."""
    sorts: list[Callable[[Corpus], Iterator[str]]] = [met, together, strangers, undone, days, codes, tools]
    for number, round_ in enumerate(zip_longest(*(sort(corpus) for sort in sorts))):
        found = [question for question in round_ if question]
        if len(found) == 1 and number > _ALONE:
            return
        yield from (Draft(KIND, question) for question in found)


def met(corpus: Corpus) -> Iterator[str]:
    """A person and a thing of the corpus that no file holds both of."""
    people = _people(corpus)
    things = [found for found in _things(corpus) if len(specific(found.noun.words)) >= 2]
    for number, found in enumerate(things if people and corpus.is_journal else []):
        name = people[corpus.chance(KIND, number, found.bare) % len(people)]
        about = [corpus.files_with(word) for word in specific([found.noun.head]) or [found.bare]]
        if not corpus.files_with(name.split()[-1]) & set().union(*about):
            yield corpus.pick(_SAID, KIND, name, found.bare).format(name=name, the=found.the)


def together(corpus: Corpus) -> Iterator[str]:
    """Two things that notes say how to use, and never in the same file."""
    known = [] if corpus.is_journal else _tools(corpus)
    for first, second in sorted(permutations(known, 2), key=lambda both: (corpus.chance(KIND, *both), both)):
        if not corpus.files_with(first) & corpus.files_with(second) and _in_code(corpus, first, second):
            yield f"How do I use {first} with {second}?"


def _in_code(corpus: Corpus, *both: str) -> bool:
    """Whether each stands in a file that holds code."""
    return all(any(corpus.layout(number).has_code for number in corpus.files_with(name)) for name in both)


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
    return (
        len(parts) == 2 and "." not in name and parts[0].lower() not in {*TITLES, "st", "de", "van", "von", "la", "le"}
    )


def undone(corpus: Corpus) -> Iterator[str]:
    """Something done to a thing to which no file says that it was done."""
    for found in _things(corpus) if corpus.is_journal else ():
        head = found.noun.head
        verb = corpus.pick(CONCRETE, KIND, found.the)
        fits = head in handled(corpus) and head not in _PEOPLE and " of " not in found.the
        if fits and not head.endswith(_ABSTRACT) and not _told(corpus, verb, head):
            yield f"When did I {verb} {found.the}?"


def handled(corpus: Corpus) -> frozenset[str]:
    """The nouns of what files say was bought, carried, mended and so on; computed once."""
    if "handled" not in corpus.kept:
        corpus.kept["handled"] = frozenset(_handled(corpus))
    found: frozenset[str] = corpus.kept["handled"]
    return found


def _handled(corpus: Corpus) -> Iterator[str]:
    for number in corpus.english:
        for sentence in corpus.all_sentences(number):
            line = tokens(sentence.text)
            for index, token in enumerate(line[:-1]):
                noun = noun_phrase(line, index + 1, corpus.nouns) if token.small in _HANDLING else None
                if noun is not None and noun.head.islower():
                    yield noun.head


_HANDLING = words(
    """
    buy bought buying sell sold selling lend lent borrow borrowed carry carried fetch fetched wear wore wearing
    paint painted mend mended mending repair repaired break broke broken wash washed clean cleaned steal stole
    stolen hang hung lift lifted pack packed drop dropped hammer nail nailed throw threw open opened close closed
    shut lock locked fill filled empty emptied bring
    """
)
_ABSTRACT = ("tion", "sion", "ness", "ity", "ence", "ance", "ment", "ship", "our", "ing", "ism", "cy", "th")
_PEOPLE = words(
    """
    surgeon doctor messenger wife husband woman man boy girl maid servant parson companion fellow lady gentleman
    mother father brother sister son daughter child uncle aunt cousin neighbour friend captain clerk master mistress
    king queen tailor widow baker grocer butcher officer soldier seaman committee council family company people crew
    choir day week noise sound wind weather word story news face voice hand hair eye leg foot back head sermon play
    discourse visit journey dinner supper line wall sky air light river street church news fashion church house
    trade war peace
    """
)
"""Heads of noun phrases that nobody buys or loses."""


def _told(corpus: Corpus, verb: str, head: str) -> bool:
    """Whether a file holds a thing and one of the words for what is done to it."""
    same = [verb, PASTS.get(verb, verb), *_ALIKE.get(verb, ())]
    return bool(corpus.files_with(head) & corpus.files_with_any(same)) or len(corpus.files_with(head)) > corpus.few()


_ALIKE = {
    "buy": ("purchase", "pay", "cost"), "sell": ("sale",), "lose": ("missing", "stolen"), "find": ("discover",),
    "break": ("broken", "smash", "crack", "snap"), "repair": ("mend", "fix"), "borrow": ("lend", "lent", "loan"),
    "throw away": ("throw", "threw", "thrown", "dump"), "clean": ("wash", "wipe"),
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


_NUMBERED = re.compile(r"[A-Z][A-Za-z0-9-]*\d{3}|[a-z]+-[a-z0-9-]*\d{3}|[A-Z]{1,3}-\d{2}")


def _altered(corpus: Corpus, token: str) -> str:
    """The token with its last two figures moved on; "" if it is not numbered."""
    if not _NUMBERED.fullmatch(token):
        return ""
    return f"{token[:-2]}{(int(token[-2:]) + 3 + corpus.chance(KIND, token) % 90) % 100:02}"


def tools(corpus: Corpus) -> Iterator[str]:
    """An instruction with the name in it replaced by another that no file on the same subject holds."""
    known = _tools(corpus)
    told = [what for number in corpus.shuffled(f"{KIND} tools") for what in _instructions(corpus, number)]
    for what in told:
        held = [word for word in what.split() if word in known]
        rest = [word for word in specific(what.split()[1:]) if word not in held and word.isalpha()]
        other = corpus.pick(known, KIND, what) if known else ""
        if len(held) == 1 and rest and other not in held:
            rarest = min(rest, key=lambda word: (len(corpus.files_with(word)), word))
            if not corpus.files_with(rarest) & corpus.files_with(other):
                yield f"How do I {' '.join(other if word == held[0] else word for word in what.split())}?"


_USED = re.compile(r"\b(?:using|with|via|to|for|install) ([A-Z][A-Za-z]{3,})\b(?! [A-Z])(?!['’.-]\w)")


def _tools(corpus: Corpus) -> list[str]:
    """What at least three files say is used, written in one word with a capital; computed once."""
    if "tools" not in corpus.kept:
        counts: Counter[str] = Counter()
        for number in corpus.english:
            found = {word for s in corpus.all_sentences(number) for word in _USED.findall(s.text)}
            counts.update(word for word in found if _is_tool(corpus, word))
        corpus.kept["tools"] = sorted(word for word, count in counts.items() if count >= 3)
    tools: list[str] = corpus.kept["tools"]
    return tools


def _is_tool(corpus: Corpus, word: str) -> bool:
    person = names(corpus).get(word)
    return (
        word.lower() not in ORDINARY | FUNCTION
        and word.lower() not in MONTH_NAMES
        and not (person and person.is_person)
    )


def _instructions(corpus: Corpus, number: int) -> Iterator[str]:
    if corpus.is_english(number) and corpus.layout(number).has_code:
        for sentence in corpus.sentences(number):
            yield from howto.instructions(corpus, sentence)
