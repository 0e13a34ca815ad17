"""Files that a query calls by their names: "pep 484" and "PEP484" call pep-0484.txt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from store.records import Ranked
from tasks.calendar_words import MONTHS
from tasks.folding import fold
from tasks.source import Source

_PART = re.compile(r"[^\W\d_]+|\d+")
_LINES = re.compile(r"(\.[a-z]\w*):\d+(?:-\d+)?(?=\W*$)", re.IGNORECASE)
"""Lines after a path, as passages are shown."""
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th|\.)?", re.IGNORECASE)
_COUNTED = frozenset(
    re.findall(
        r"\w+",
        "seconds minute minutes hour hours day days week weeks month months year years pm times km miles kg euros"
        " sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren uhr mal"
        " heure heures jour jours semaine semaines mois ans fois horas dia dias semana semanas mes meses anos veces"
        " ore giorno giorni settimana settimane mese mesi anni volte",
    )
)
"""What is counted by a number before it."""
_MOST_NUMBERS = 20
_LONGEST = 12
"""Parts of a name."""


def parts(text: str) -> tuple[str, ...]:
    """Runs of letters and of digits, folded; zeros before a number do not count."""
    return tuple(part.lstrip("0") or "0" if part.isdecimal() else part for part in _PART.findall(fold(text)))


def spans(query: str) -> set[tuple[str, ...]]:
    """What a query may call: whole words in a row, in parts, with a letter and a number among them."""
    texts = [_LINES.sub(r"\1", word) for word in query.split()]
    words = [parts(word) for word in texts]
    tied = {at for at in range(1, len(words)) if _tied(texts[max(0, at - 2) : at], words[at : at + 2])}
    found: set[tuple[str, ...]] = set()
    for start in sorted(set(range(len(words))) - tied):
        span: tuple[str, ...] = ()
        for end, word in enumerate(words[start : start + _LONGEST], start + 1):
            span += word
            if end not in tied:
                found.add(span)
    return {span for span in found if 0 < sum(part.isdecimal() for part in span) < len(span) <= _LONGEST}


def _tied(before: Sequence[str], after: Sequence[tuple[str, ...]]) -> bool:
    """Whether what stands before belongs to the words after it: "2 | days", "5th of | May 2020"."""
    first, second = (*(word[:1] for word in after), (), ())[:2]
    if before[-1].isdecimal() and not _COUNTED.isdisjoint(first):
        return True
    day = before[-1] if before[-1].lower() != "of" else before[0]
    year = "".join(second)
    return bool(_DAY.fullmatch(day)) and not MONTHS.keys().isdisjoint(first) and year.isdecimal() and len(year) == 4


def names(path: str) -> tuple[tuple[str, ...], ...]:
    """What a file may be called: its name without its ending and with it, and so its path."""
    place = PurePosixPath(path)
    return parts(place.stem), parts(place.name), parts(str(place.parent / place.stem)), parts(path)


def called(query: str, sources: Sequence[Source]) -> dict[str, dict[int, str]]:
    """The paths, by id, of the searched files that the query calls, by source; sources without one are left out."""
    wanted = spans(query)
    numbers = sorted({part for span in wanted for part in span if part.isdecimal()})[:_MOST_NUMBERS]
    if not numbers:
        return {}
    whole = re.compile(rf"(?<!\d)0*(?:{'|'.join(numbers)})(?!\d)")  # far fewer paths than those with the digits
    found: dict[str, dict[int, str]] = {}
    for source in sources:
        near = ((id_, path) for id_, path in source.snapshot.named(numbers) if whole.search(path))
        files = {id_: path for id_, path in near if not wanted.isdisjoint(names(path))}
        searched = source.allowed_files(files) if files else set()
        found[source.name] = {id_: path for id_, path in files.items() if id_ in searched}
    return {name: files for name, files in found.items() if files}


def beginnings(sources: Sequence[Source], count: int) -> list[Ranked]:
    """The first passages of the sources, with a score of 0."""
    found = ((source.name, p) for source in sources for p in source.passages([int(r) for r in source.rows[:count]]))
    keys = [(name, p.path, p.position) for name, p in found][:count]
    return [Ranked(key, 0.0, rank) for rank, key in enumerate(keys, 1)]


def within(sources: Sequence[Source], files: Mapping[str, Mapping[int, str]]) -> list[Source]:
    """The sources with only the rows of some files."""
    return [source.restrict(source.in_files(files[source.name])) for source in sources if source.name in files]
