"""Questions for a day, and for what a month said of a name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from tasks.evaluation.making.corpus import Corpus, Draft
from tasks.evaluation.making.name import is_part
from tasks.evaluation.making.names import names

DAY, MONTH = "date", "date-range"
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAY_FORMS = (
    "What happened on {day}?", "What did I do on {day}?", "What did I write on {day}?", "my entry of {day}",
    "What was I doing on {day}?",
)  # fmt: skip
_NOTED = ("What did I note on {day}?", "my notes of {day}")
_MONTH_FORMS = ("What happened in {month}?", "What did I do in {month}?", "What did I write in {month}?")
_ABOUT = (
    "What did I write about {name} in {month}?", "{name} in {month}", "What did I say about {name} in {month}?",
)  # fmt: skip
_MOST_FILES, _LEAST_KNOWN, _MOST_ABOUT = 6, 4, 4


def day_text(corpus: Corpus, day: str) -> str:
    """A day as people write it."""
    when = date.fromisoformat(day)
    month = MONTHS[when.month - 1]
    forms = (f"{when.day} {month} {when.year}", f"{month} {when.day}, {when.year}", f"the {_nth(when.day)} of {month} "
             f"{when.year}", f"{when.day} {month} {when.year}")  # fmt: skip
    return corpus.pick(forms, DAY, "form", day)


def month_text(month: str) -> str:
    """`2021-06` as words."""
    return f"{MONTHS[int(month[5:]) - 1]} {month[:4]}"


def _nth(day: int) -> str:
    return f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def day_question(corpus: Corpus, day: str) -> str:
    """English where most of the corpus is; else the ISO day."""
    if not corpus.english:
        return day
    forms = _DAY_FORMS if corpus.is_journal else _NOTED
    return corpus.pick(forms, DAY, day).format(day=day_text(corpus, day))


def days(corpus: Corpus) -> Iterator[Draft]:
    """One for each day that files state as their own."""
    if sum(map(len, corpus.by_day.values())) < 5:
        return
    for day in sorted(corpus.by_day, key=lambda day: (corpus.chance(DAY, day), day)):
        holding = corpus.by_day[day]
        if len(holding) <= _MOST_FILES:
            relevant = tuple(corpus.relevant(number) for number in holding)
            yield Draft(DAY, day_question(corpus, day), relevant, files=frozenset(holding))


def by_month(corpus: Corpus) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for day, numbers in corpus.by_day.items():
        found.setdefault(day[:7], []).extend(numbers)
    return found


def months(corpus: Corpus) -> Iterator[Draft]:
    """Names that occur in other months too, with a month; now and then a month that holds few files."""
    if not corpus.english or not corpus.is_journal:
        return
    found = by_month(corpus)
    known = _known(corpus)
    for month in sorted(found, key=lambda month: (corpus.chance(MONTH, month), month)):
        yield from _about(corpus, month, found[month], known)
        if 2 <= len(found[month]) <= _MOST_FILES and corpus.chance(MONTH, "whole", month) % 3 == 0:
            form = corpus.pick(_MONTH_FORMS, MONTH, month)
            relevant = tuple(corpus.relevant(number) for number in found[month])
            yield Draft(
                MONTH, form.format(month=month_text(month)), relevant, files=frozenset(found[month])
            )  # fmt: skip


def _known(corpus: Corpus) -> dict[str, set[int]]:
    """Names that several files hold, and which."""
    known = names(corpus)
    often = [name for name, entry in known.items() if len(entry.files) >= _LEAST_KNOWN]
    return {name: known[name].files for name in often if not is_part(name, known)}


def _about(corpus: Corpus, month: str, numbers: list[int], known: dict[str, set[int]]) -> Iterator[Draft]:
    """The one name that chance picks among those the month tells of."""
    telling = {name: sorted(known[name] & set(numbers)) for name in known}
    fitting = [name for name, holding in telling.items() if 1 <= len(holding) <= _MOST_ABOUT]
    if not fitting:
        return
    name = corpus.pick(fitting, MONTH, "name", month)
    form = corpus.pick(_ABOUT, MONTH, month, name)
    holding = sorted(corpus.files_saying(name) & set(numbers))
    if len(holding) > _MOST_ABOUT:
        return
    relevant = tuple(corpus.quoting(number, name) for number in holding)
    called = names(corpus)[name].called
    yield Draft(MONTH, form.format(name=called, month=month_text(month)), relevant, files=frozenset(holding))
