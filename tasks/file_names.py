"""Files that a query calls by their names: "pep 484" and "PEP484" call pep-0484.txt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from store.records import Ranked
from tasks.folding import fold
from tasks.source import Source

_PART = re.compile(r"[^\W\d_]+|\d+")
_MOST_NUMBERS = 20
_LONGEST = 12
"""Parts of a name."""


def parts(text: str) -> tuple[str, ...]:
    """Runs of letters and of digits, folded; zeros before a number do not count."""
    return tuple(part.lstrip("0") or "0" if part.isdecimal() else part for part in _PART.findall(fold(text)))


def spans(query: str) -> set[tuple[str, ...]]:
    """What a query may call: whole words in a row, in parts, with a letter and a number among them."""
    words = [parts(word) for word in query.split()]
    found: set[tuple[str, ...]] = set()
    for start in range(len(words)):
        span: tuple[str, ...] = ()
        for word in words[start : start + _LONGEST]:
            span += word
            found.add(span)
    return {span for span in found if 0 < sum(part.isdecimal() for part in span) < len(span) <= _LONGEST}


def names(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a file may be called: its name without its ending, and with it."""
    place = PurePosixPath(path)
    return parts(place.stem), parts(place.name)


def called(query: str, sources: Sequence[Source]) -> dict[str, dict[int, str]]:
    """The paths, by id, of the files that the query calls, by source; sources without one are left out."""
    wanted = spans(query)
    numbers = sorted({part for span in wanted for part in span if part.isdecimal()})[:_MOST_NUMBERS]
    if not numbers:
        return {}
    whole = re.compile(rf"(?<!\d)0*(?:{'|'.join(numbers)})(?!\d)")  # far fewer paths than those with the digits
    found = {
        source.name: {
            id_: path
            for id_, path in source.snapshot.named(numbers)
            if whole.search(path) and not wanted.isdisjoint(names(path))
        }
        for source in sources
    }
    return {name: files for name, files in found.items() if files}


def beginnings(sources: Sequence[Source], count: int) -> list[Ranked]:
    """The first passages of the sources, with a score of 0."""
    found = ((source.name, p) for source in sources for p in source.passages([int(r) for r in source.rows[:count]]))
    keys = [(name, p.path, p.position) for name, p in found][:count]
    return [Ranked(key, 0.0, rank) for rank, key in enumerate(keys, 1)]


def within(sources: Sequence[Source], files: Mapping[str, Mapping[int, str]]) -> list[Source]:
    """The sources with only the rows of some files."""
    return [source.restrict(source.in_files(files[source.name])) for source in sources if source.name in files]
