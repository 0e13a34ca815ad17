"""Every line that holds certain words, straight from the indexed texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from store.errors import WhereinError, usage
from store.snapshot import Snapshot
from tasks.folding import fold, plain
from tasks.globs import nfc
from tasks.scripts import joins
from wherein.pipelines.inspect import opened
from wherein.pipelines.patience import ended_after
from wherein.workspace import Workspace

_LINE_END = re.compile(r"\r\n|\n|\r")
PATIENCE_SECONDS = 20.0
_TOO_SLOW = WhereinError(
    f"The regular expression was not done after {PATIENCE_SECONDS:.0f} seconds: make it simpler (repeats within"
    " repeats take longest), or choose fewer collections.",
    kind="timeout",
)
Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class TermCount:
    """How often a term occurs, and in how many files."""

    term: str
    files: int
    occurrences: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line (from 1) that holds a term; `text` is the line, with the lines around it if asked for."""

    collection: str
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Keywords:
    """The JSON of `keywords`: hits by file, those with most occurrences first."""

    terms: tuple[TermCount, ...]
    hits: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class _File:
    collection: str
    path: str
    lines: list[str]
    counts: dict[str, int]
    numbers: list[int]


def keywords(
    workspace: Workspace, terms: Sequence[str], chosen: Sequence[str] = (), *, regex: bool = False, context: int = 0
) -> Keywords:
    """Whole words with case and accents folded, any of the terms; a term with spaces is a phrase.

    `regex`: the terms are regular expressions over single lines, without case.
    """
    if not all(term.strip() for term in terms):
        raise usage("A keyword is blank: give a word, or a phrase in quotation marks.", kind="usage")
    patterns = {term: _expression(term) if regex else _words(term) for term in dict.fromkeys(terms)}
    with opened(workspace, chosen) as found, ended_after(PATIENCE_SECONDS if regex else 0, _TOO_SLOW):
        files = [file for name, opening in found for file in _search(name, opening, patterns, folded=not regex)]
    files.sort(key=lambda file: (-sum(file.counts.values()), file.collection, file.path))
    counts = (_count(term, files) for term in patterns)
    return Keywords(tuple(counts), tuple(line for file in files for line in _lines(file, context)))


def _expression(term: str) -> Pattern:
    try:
        return re.compile(term, re.IGNORECASE)
    except (re.error, OverflowError) as error:
        raise usage(f"{term!r} is not a regular expression: {error}.", kind="usage") from error
    except RecursionError:
        raise usage("The regular expression is nested too deeply: make it simpler.", kind="usage") from None


def _words(term: str) -> Pattern:
    """Whole words of folded text, with any white space between them."""
    words = fold(plain(term)).split()
    if not words:
        raise usage(f"The keyword {term!r} holds nothing that can be seen.", kind="usage")
    before = r"(?<!\w)" if joins(words[0][0]) else ""
    after = r"(?!\w)" if joins(words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(map(re.escape, words)) + after)


def _search(name: str, opening: Snapshot, patterns: Mapping[str, Pattern], *, folded: bool) -> Iterator[_File]:
    for row in opening.files():
        if row["content_id"] is None:
            continue
        lines = _LINE_END.split(opening.text_of(row["content_id"]))
        found = {term: list(_found(pattern, lines, folded=folded)) for term, pattern in patterns.items()}
        numbers = sorted({number for numbers in found.values() for number in numbers})
        if numbers:
            counts = {term: len(numbers) for term, numbers in found.items()}
            yield _File(name, nfc(row["path"]), lines, counts, numbers)


def _found(pattern: Pattern, lines: Sequence[str], *, folded: bool) -> Iterator[int]:
    """The number of the line in which each match begins."""
    if not folded:
        for number, line in enumerate(lines, 1):
            yield from (number for _ in pattern.finditer(line))
        return
    same = [fold(plain(line)) for line in lines]
    starts = [0, *accumulate(len(line) + 1 for line in same)]
    for match in pattern.finditer("\n".join(same)):
        yield bisect_right(starts, match.start())


def _count(term: str, files: Sequence[_File]) -> TermCount:
    counts = [file.counts[term] for file in files]
    return TermCount(term, sum(count > 0 for count in counts), sum(counts))


def _lines(file: _File, context: int) -> Iterator[Line]:
    for number in file.numbers:
        around = file.lines[max(0, number - 1 - context) : number + context]
        yield Line(file.collection, file.path, number, "\n".join(around))
