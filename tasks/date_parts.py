"""Parts of a month or a year: the first days of September, mid-August, the last week of April, late 1665."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from tasks.relative_dates import NUMBERS

Days = tuple[date, date]

_NAMES = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth"
    "|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first|twenty-second|twenty-third|twenty-fourth"
    "|twenty-fifth|twenty-sixth|twenty-seventh|twenty-eighth|twenty-ninth|thirtieth|thirty-first"
)
_ORDINALS = _NAMES.split("|")
_WEEK = 7  # days; also what "the first days" are taken for
_DAY_NAMED = rf"(?:the )?(?P<day>{_NAMES}|\d{{1,2}}(?:st|nd|rd|th)(?= day)|last)(?: day)? of "
_DAYS = (
    r"(?:the )?(?:very )?(?P<end>first|last) (?:(?P<count>\d{1,2}|[a-z]+) )?(?P<unit>days|weeks|fortnight) (?:of|in) "
)
_WEEK_NAMED = r"(?:the )?(?P<week>first|second|third|fourth|last) week (?:of|in) "
_HALF = r"(?:the )?(?P<half>first|second) half of "
_THIRD = (
    r"(?:(?P<early>early(?: in)?|(?:the )?(?:beginning|start) of|anfang|début|principios de|inizio di)"
    r"|(?P<middle>mid|(?:the )?middle of|mitte|mi(?=-)|mediados de|metà di)"
    r"|(?P<late>late(?: in)?|(?:the )?end of|ende|fin|finales de|fine di))(?:-| )"
)


def part(before: str, days: Days) -> tuple[int, Days, bool] | None:
    """Which part of a whole month or year the text right before it asks for.

    Returns where that begins in the text, its days (all, where it has no such part), and whether it is one calendar
    day; None where no part is asked for.
    """
    whole_year = (days[1] - days[0]).days > 31
    for narrow, pattern, of_a_year in _rules():
        match = pattern.search(before) if of_a_year or not whole_year else None
        if match:
            found = narrow(match, days)
            return match.start(), found or days, found is not None and "day" in match.groupdict()
    return None


@cache
def _rules() -> list[tuple[Callable[[re.Match[str], Days], Days | None], re.Pattern[str], bool]]:
    """How each wording narrows, and whether it does so to a year: compiled on first use."""
    rules = (
        (_named_day, _DAY_NAMED, False),
        (_some_days, _DAYS, True),
        (_named_week, _WEEK_NAMED, True),
        (_half, _HALF, True),
        (_third, _THIRD, True),
    )
    return [
        (narrow, re.compile(rf"(?<![\w-])(?:{text})(?:the )?$".replace(" ", r"\s+"), re.IGNORECASE), of_a_year)
        for narrow, text, of_a_year in rules
    ]


def _inside(days: Days, start: int, count: int) -> Days | None:
    """So many days from the `start`-th (0 the first, negative from the end) of them, or none if it has fewer."""
    length = (days[1] - days[0]).days + 1
    begin = start if start >= 0 else length + start
    if count < 1 or begin < 0 or begin + count > length:
        return None
    first = days[0] + timedelta(days=begin)
    return first, first + timedelta(days=count - 1)


def _named_day(match: re.Match[str], days: Days) -> Days | None:
    name = match["day"].lower()
    if name == "last":
        return _inside(days, -1, 1)
    return _inside(days, (_ORDINALS.index(name) if name in _ORDINALS else int(name[:-2]) - 1), 1)


def _some_days(match: re.Match[str], days: Days) -> Days | None:
    unit, said = match["unit"].lower(), (match["count"] or "").lower()
    if unit == "fortnight":
        count = 2 * _WEEK
    elif said in ("", "few") and unit == "days":
        count = _WEEK
    else:
        number = int(said) if said.isdigit() else NUMBERS.get(said, 0)
        count = number * (_WEEK if unit == "weeks" else 1)
    return _inside(days, 0 if match["end"].lower() == "first" else -count, count)


def _named_week(match: re.Match[str], days: Days) -> Days | None:
    name = match["week"].lower()
    return _inside(days, -_WEEK if name == "last" else _ORDINALS.index(name) * _WEEK, _WEEK)


def _half(match: re.Match[str], days: Days) -> Days | None:
    return _share(days, 0 if match["half"].lower() == "first" else 1, 2)


def _third(match: re.Match[str], days: Days) -> Days | None:
    return _share(days, ("early", "middle", "late").index(str(match.lastgroup)), 3)


def _share(days: Days, number: int, of: int) -> Days:
    """A half or third: by months in a year, to the 15th or by ten days in a month; the last takes what is left."""
    first, last = days
    if first.month != last.month:
        step = 12 // of
        begin = first.replace(month=1 + number * step)
        return begin, (last if number == of - 1 else first.replace(month=1 + (number + 1) * step) - timedelta(days=1))
    step = 30 // of
    return first.replace(day=1 + number * step), last if number == of - 1 else first.replace(day=(number + 1) * step)
