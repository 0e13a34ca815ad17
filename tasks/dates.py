"""Dates of files, of filters and of questions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from store.errors import usage
from tasks.calendar_words import span
from tasks.file_dates import file_date

if TYPE_CHECKING:
    from tasks.date_readings import Reading

__all__ = ["QuestionDates", "file_date", "parse_range", "question_dates"]

Days = tuple[date, date]

_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class QuestionDates:
    """Inclusive ranges a question states, in order, distinct; `day` if they are one calendar day; what was read."""

    ranges: list[Days]
    day: date | None
    notes: list[str]


def parse_range(text: str, flag: str = "date") -> Days:
    """First and last day of YYYY, YYYY-MM or YYYY-MM-DD. Raises WhereinError (exit 2) naming the flag."""
    match = _ISO.fullmatch(text.strip())
    try:
        if match:
            return span(*(int(part) if part else None for part in match.groups()))  # type: ignore[arg-type]
    except ValueError:
        pass
    raise usage(f"{flag} {text!r} is not a date: give YYYY, YYYY-MM or YYYY-MM-DD.", kind="usage")


def question_dates(text: str, today: date) -> QuestionDates:
    """The days a question states. Numeric dates are ISO, else day first; a date without a year is ignored."""
    from tasks.date_readings import readable

    plain = readable(text)
    found = _readings(plain, today)
    read = [reading for reading in found if reading.days is not None]
    ranges = list(dict.fromkeys(reading.days for reading in read if reading.days))
    day = ranges[0][0] if len(ranges) == 1 and all(reading.is_day for reading in read) else None
    return QuestionDates(ranges, day, list(dict.fromkeys(_note(plain, reading) for reading in found)))


def _readings(text: str, today: date) -> list[Reading]:
    """Absolute and relative dates in order; imported here, where the patterns are needed."""
    from tasks.date_readings import Reading, readings
    from tasks.relative_dates import relative_days

    absolute = readings(text)
    told = [Reading(start, end, days, days[0] == days[1]) for start, end, days in relative_days(text, today)]
    found = [*absolute, *(each for each in told if not any(_overlap(each, other) for other in absolute))]
    return sorted(found, key=lambda reading: (reading.start, reading.end))


def _overlap(one: Reading, other: Reading) -> bool:
    return one.start < other.end and other.start < one.end


def _note(text: str, reading: Reading) -> str:
    surface = " ".join(text[reading.start : reading.end].split())
    if reading.days is None:
        return f"the date '{surface}' was ignored: {reading.why_not}"
    first, last = reading.days
    if first == date.min:
        return f"'{surface}' was read as up to {last.isoformat()}"
    if last == date.max:
        return f"'{surface}' was read as from {first.isoformat()} on"
    days = first.isoformat() if first == last else f"{first.isoformat()} to {last.isoformat()}"
    return f"'{surface}' was read as {days}"
