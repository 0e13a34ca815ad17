"""The day a file belongs to: from its name, its front matter or its first lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

from store.records import Document
from tasks.calendar_words import FIRST_YEAR, LAST_YEAR, Mention, mentions

KEYS = ("date", "created", "day")
LINES = 3  # with text, from the beginning of the body
LINE_CHARS = 80  # a longer line is prose: its date counts only where it begins
OLDEST_COMPACT = 1600  # year of YYYYMMDD without separators; lower ones are other numbers

_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-_. /]?)(\d{2})\2(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([-_. ])(\d{1,2})\2(\d{4})(?!\d)")
_MARKUP = re.compile(r"[\s#>*_=~\[\](){}|-]*(?:\w[\w ]{0,20}:\s*)?[\s*_\[(\"']*")


def file_date(path: str, document: Document | None, order: Sequence[str]) -> tuple[str | None, str | None]:
    """ISO day and its source ("name", "front_matter", "content"), the first of `order` that states a whole day."""
    sources: Mapping[str, Callable[[], date | None]] = {
        "name": lambda: _from_name(path),
        "front_matter": lambda: _from_front_matter(document.front_matter) if document else None,
        "content": lambda: _from_content(document) if document else None,
    }
    for source in order:
        day = sources[source]() if source in sources else None
        if day is not None:
            return day.isoformat(), source
    return None, None


def _from_name(path: str) -> date | None:
    """From the file's own name, else from folders that are year, month and day."""
    file = PurePosixPath(unicodedata.normalize("NFC", path))
    return next(_in_name(file.stem), None) or next(_in_name(str(file.parent / file.stem)), None)


def _in_name(name: str) -> Iterator[date]:
    for match in _YEAR_FIRST.finditer(name):
        if match[2] or int(match[1]) >= OLDEST_COMPACT:
            yield from _day(match[1], match[3], match[4])
    for match in _DAY_FIRST.finditer(name):
        yield from _day(match[4], match[3], match[1])
    spaced = re.sub(r"[_\-/]+", " ", name)
    yield from (day for mention in mentions(spaced) for day in _whole(mention))


def _day(year: str, month: str, day: str) -> Iterator[date]:
    """The day, if there is one and its year is not absurd."""
    if FIRST_YEAR <= int(year) <= LAST_YEAR:
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:
            return


def _whole(mention: Mention) -> Iterator[date]:
    if mention.year is not None and mention.month is not None and mention.day is not None:
        yield from _day(str(mention.year), str(mention.month), str(mention.day))


def _from_front_matter(front_matter: Mapping[str, Any]) -> date | None:
    values = {str(key).strip().lower(): value for key, value in front_matter.items()}
    days = (_in_value(values[key]) for key in KEYS if key in values)
    return next((day for day in days if day is not None), None)


def _in_value(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return next(_in_name(str(value)), None)
    return None


def _from_content(document: Document) -> date | None:
    lines = (line.strip() for line in document.text[document.body_start : document.body_start + 4000].splitlines())
    first = [line for line in lines if line][:LINES]
    return next((day for line in first for day in _in_line(line)), None)


def _in_line(line: str) -> Iterator[date]:
    """A date that begins the line, markup and a label aside, or that ends a short one."""
    begin = _MARKUP.match(line)
    text_start = begin.end() if begin else 0
    for mention in mentions(line[:400]):
        begins = mention.start <= text_start
        ends = len(line) <= LINE_CHARS and not any(c.isalnum() for c in line[mention.end :])
        if begins or ends:
            yield from _whole(mention)
