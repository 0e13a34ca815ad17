"""Dates told from today: yesterday, last week, 3 days ago."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from tasks.calendar_words import MONTH_NAME, MONTHS, span

Days = tuple[date, date]

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a": 1, "an": 1, "ein": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "un": 1, "une": 1, "una": 1,
    "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "cuatro": 4, "due": 2, "tre": 3, "quattro": 4,
}  # fmt: skip
_UNITS = {
    "day": "day|days|tag|tage|tagen|jour|jours|día|días|giorno|giorni",
    "week": "week|weeks|woche|wochen|semaine|semaines|semana|semanas|settimana|settimane",
    "month": "month|months|monat|monate|monaten|mois|mes|meses|mese|mesi",
    "year": "year|years|jahr|jahre|jahren|an|ans|année|années|año|años|anno|anni",
}
_UNIT = "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items())
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=lambda w: (-len(w), w)))})"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"


def _unit(match: re.Match[str]) -> str:
    return next(name for name in _UNITS if match.groupdict().get(name))


def _number(match: re.Match[str]) -> int:
    text = match["count"].lower()
    return int(text) if text.isdigit() else NUMBERS[text]


def _back(today: date, unit: str, count: int) -> date:
    """The day so many units before today, or the last day of its month where that is shorter."""
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(today.day, span(year, month + 1)[1].day))


def _around(day: date, unit: str) -> Days:
    """The calendar day, week (from Monday), month or year that holds a day."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    if unit == "day":
        return day, day
    return span(day.year, day.month if unit == "month" else None)


def _days_ago(count: int) -> Callable[[re.Match[str], date], Days]:
    return lambda _match, today: _around(_back(today, "day", count), "day")


def _units_ago(match: re.Match[str], today: date) -> Days:
    return _around(_back(today, _unit(match), _number(match)), _unit(match))


def _unit_before(match: re.Match[str], today: date) -> Days:
    return _around(_back(today, _unit(match), 1), _unit(match))


def _unit_now(match: re.Match[str], today: date) -> Days:
    return _around(today, _unit(match))


def _up_to_now(match: re.Match[str], today: date) -> Days:
    return _back(today, _unit(match), _number(match) if match.groupdict().get("count") else 1), today


def _last_month_named(match: re.Match[str], today: date) -> Days:
    month = MONTHS[match["month"].lower()]
    return span(today.year if month < today.month else today.year - 1, month)


def _last_weekday(match: re.Match[str], today: date) -> Days:
    weekday = _WEEKDAYS.split("|").index(match["weekday"].lower())
    return _around(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1), "day")


_RULES: tuple[tuple[Callable[[re.Match[str], date], Days], tuple[str, ...]], ...] = (
    (_days_ago(2), ("(?:the )?day before yesterday|vorgestern|avant-hier|anteayer|l'altro ieri|avantieri",)),
    (_days_ago(1), ("yesterday|last night|gestern|hier (?:soir|matin)|ayer|ieri",)),
    (_days_ago(0), ("today|this (?:morning|afternoon|evening)|heute|aujourd'hui|hoy|oggi",)),
    (
        _up_to_now,
        (
            rf"(?:(?:in|over|within|during) )?(?:the )?(?:last|past) {_COUNT} (?:{_UNIT})",
            rf"(?:in )?(?:den |die )?letzten {_COUNT} (?:{_UNIT})",
            rf"(?:ces |les )?{_COUNT} derni[eè]re?s (?:{_UNIT})",
            rf"(?:en )?(?:los |las )?últim[oa]s {_COUNT} (?:{_UNIT})",
            rf"(?:negli |nelle |gli |le )?ultim[ie] {_COUNT} (?:{_UNIT})",
            rf"(?:the )?past (?:{_UNIT})",
        ),
    ),
    (
        _units_ago,
        (
            rf"{_COUNT} (?:{_UNIT}) ago",
            rf"(?:vor|il y a|hace) {_COUNT} (?:{_UNIT})",
            rf"{_COUNT} (?:{_UNIT}) fa",
        ),
    ),
    (
        _unit_before,
        (
            rf"(?:last|previous) (?:{_UNIT})",
            rf"(?:letzte|vorige|vergangene)[nrsm]? (?:{_UNIT})",
            rf"(?:la |le |l'|el |il |lo )?(?:{_UNIT}) (?:derni[eè]re?|pass[ée]e?|pasad[oa]|scors[oa])",
            rf"scors[oa] (?:{_UNIT})",
        ),
    ),
    (_unit_now, (rf"(?:this|diese[nrsm]?|cette|cet|ce|esta|este|questa|questo) (?:{_UNIT})",)),
    (_last_month_named, (rf"last (?P<month>{MONTH_NAME})(?!\s+\d)",)),
    (_last_weekday, (rf"last (?P<weekday>{_WEEKDAYS})",)),
)
_COMPILED = [
    (read, re.compile(rf"(?<![\w'-])(?:{pattern})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE))
    for read, patterns in _RULES
    for pattern in patterns
]


def relative_days(text: str, today: date) -> list[tuple[int, int, Days]]:
    """Where the text tells days from today (half-open offsets), and which; none within another."""
    found: list[tuple[int, int, Days]] = []
    for read, pattern in _COMPILED:
        for match in pattern.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((*match.span(), _within_calendar(read, match, today)))
    return sorted(found)


def _within_calendar(read: Callable[[re.Match[str], date], Days], match: re.Match[str], today: date) -> Days:
    try:
        return read(match, today)
    except (ValueError, OverflowError):  # further back than the first year of the calendar
        return date.min, date.min
