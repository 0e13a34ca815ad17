"""Judgements and rankings in the formats of TREC, for trec_eval, ir_measures and others to check.

Columns are parted by white space, so white space, control characters, half surrogate pairs and the percent sign in an
id or a tag are written percent-encoded (UTF-8), and decoded when read: `my notes/a.md` stands as `my%20notes/a.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote

from store import disk
from store.errors import WhereinError, usage
from tasks.evaluation.measures import distinct

Row = TypeVar("Row")
Qrels = dict[str, dict[str, int]]
_UNSAFE = re.compile(r"[\s%\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]")


def write_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """A line for each judged unit of each question: question, 0, unit, grade."""
    units = ((question, unit, grade) for question, judged in qrels.items() for unit, grade in judged.items())
    _write(path, (f"{encoded(question)} 0 {encoded(unit)} {grade}" for question, unit, grade in units))


def write_run(path: Path, rankings: Mapping[str, Sequence[str]], tag: str) -> None:
    """A line for each ranked unit: question, Q0, unit, rank from 1, a score that falls with the rank, tag.

    A unit that comes again is written at its first place only. A question without a unit leaves no line: it is in the
    judgements, and a reader of both counts 0 for it.
    """
    _write(path, (line for question, units in rankings.items() for line in _ranked(question, distinct(units), tag)))


def _ranked(question: str, units: Sequence[str], tag: str) -> Iterator[str]:
    for rank, unit in enumerate(units, 1):
        yield f"{encoded(question)} Q0 {encoded(unit)} {rank} {len(units) + 1 - rank} {encoded(tag)}"


def read_qrels(path: Path) -> Qrels:
    """Grades by unit by question."""
    found: Qrels = {}
    for question, unit, grade in _rows(path, 4, lambda row: (row[0], row[2], int(row[3]))):
        found.setdefault(question, {})[unit] = grade
    return found


def read_run(path: Path) -> dict[str, list[str]]:
    """Units by question, best first: by score as trec_eval does, which gives ties to the id that sorts last."""
    scored: dict[str, dict[str, float]] = {}
    for question, unit, score in _rows(path, 6, lambda row: (row[0], row[2], float(row[4]))):
        scored.setdefault(question, {})[unit] = score
    return {question: _by_score(units) for question, units in scored.items()}


def _by_score(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda unit: (scores[unit], unit), reverse=True)


def encoded(text: str) -> str:
    """One column; raises ValueError for an empty text, which no column can hold."""
    if not text:
        raise ValueError("An id or a tag is empty.")
    return _UNSAFE.sub(lambda found: quote(found[0], safe="", errors="surrogatepass"), text)


def decoded(column: str) -> str:
    return unquote(column, errors="surrogatepass")


def _write(path: Path, lines: Iterator[str]) -> None:
    disk.write_file(path, (f"{line}\n".encode() for line in lines))


def _rows(path: Path, columns: int, parse: Callable[[list[str]], Row]) -> Iterator[Row]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        row = line.split()
        if row and len(row) != columns:
            raise _unreadable(path, number, f"{len(row)} columns in place of {columns}")
        if row:
            yield _parsed(path, number, [decoded(column) for column in row], parse)


def _parsed(path: Path, number: int, row: list[str], parse: Callable[[list[str]], Row]) -> Row:
    try:
        return parse(row)
    except ValueError as error:
        raise _unreadable(path, number, str(error)) from error


def _unreadable(path: Path, number: int, why: str) -> WhereinError:
    return usage(f"Line {number} of {path} cannot be read ({why}): mend the line, or write the file anew.", "trec")
