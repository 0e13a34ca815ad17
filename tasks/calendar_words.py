"""Dates written in words and figures, in English, German, French, Spanish and Italian."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

_MONTHS = (
    "january jan januar janvier janv enero ene gennaio gen",
    "february feb februar février fevrier févr fevr febrero febbraio febr",
    "march mar märz maerz mär mars marzo",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag",
    "june jun juni juin junio giugno giu",
    "july jul juli juillet juil julio luglio lug",
    "august aug août aout agosto ago",
    "september sept sep septembre septiembre settembre set",
    "october oct oktober okt octobre octubre ottobre ott",
    "november nov novembre noviembre",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
FIRST_YEAR, LAST_YEAR = 1000, 2199  # what a bare number of four digits may mean
_WEEKDAYS = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun"
    "|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
    "|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    "|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica"
)
WEEKDAYS = frozenset(_WEEKDAYS.split("|"))

BEFORE = r"(?:(?<![\w/])(?<![\w][.\-_:@])|(?<=\bmid-)|(?<=\bmi-))"
AFTER = r"(?![\w/])(?![.\-_:@][\w])"
MONTH_NAME = "|".join(sorted(MONTHS, key=lambda name: (-len(name), name)))
_MONTH = rf"(?P<month>{MONTH_NAME})\.?"
_DAY = r"(?:(?:the|el|le|il|der|den|dem)\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th|er|ère|[.ºª°])?"
_YEAR = r"(?P<year>\d{4})"
_OF = r"(?:\s*[,/-]\s*|\s+)(?:(?:of|de|del|di|d')\s*)?"
_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_FORMS = (
    rf"(?P<year>\d{{4}})(?P<sep>[-/._])(?P<mon>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})(?!\d){_TIME}",
    rf"(?P<day>\d{{1,2}})(?P<sep>[-/._])\s?(?P<mon>\d{{1,2}})(?P=sep)\s?{_YEAR}(?!\d)",
    rf"{_DAY}{_OF}{_MONTH}{_OF}{_YEAR}",
    rf"{_MONTH}\s*-?(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*[,-]\s*|\s+)(?:of\s+)?{_YEAR}",
    rf"{_YEAR}[\s,-]+{_MONTH}[\s-]+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
    rf"{_MONTH}{_OF}{_YEAR}",
    r"(?P<year>\d{4})-(?P<mon>0[1-9]|1[0-2])",
    r"(?P<mon>0[1-9]|1[0-2])/(?P<year>\d{4})",
    rf"{_DAY}{_OF}{_MONTH}",
    rf"{_MONTH}\s*(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
)
_WEEKDAY_BEFORE = re.compile(
    rf"(?:(?:on|am|le|el)\s+)?(?:the\s+)?\b(?:{_WEEKDAYS})\b\.?,?\s*(?:(?:the|den)\s+)?$", re.IGNORECASE
)
_VERSION_BEFORE = re.compile(r"\b(?:version|release|build|section|v)\.?\s*$", re.IGNORECASE)
# Letters that match an ASCII letter when case is ignored, but are not its lower or upper case.
_ODD_CASES = str.maketrans({"İ": "I", "ı": "i", "ſ": "s", "\u212a": "K"})

ALSO_WORDS = frozenset(("ago", "gen", "mag", "mar", "march", "may", "set"))


@dataclass(frozen=True, slots=True)
class Mention:
    """A date as written, in whole or in part; `start` and `end` are offsets in the text."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None


@cache
def _patterns() -> list[re.Pattern[str]]:
    """Compiled on first use: most commands read no date."""
    return [re.compile(BEFORE + form + AFTER, re.IGNORECASE) for form in _FORMS]


def plain_letters(text: str) -> str:
    """The text with the same offsets, in which ignoring case is safe."""
    return text.translate(_ODD_CASES)


def mentions(text: str) -> list[Mention]:
    """The dates a text states in figures or with the name of a month, in order, none within another."""
    found: list[Mention] = []
    safe = plain_letters(text)
    for pattern in _patterns():
        found.extend(m for m in _matches(pattern, safe) if not any(overlap(m, other) for other in found))
    return sorted(found, key=lambda m: (m.start, m.end))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Mention]:
    for match in pattern.finditer(text):
        mention = _mention(match)
        absurd = mention.year is not None and not FIRST_YEAR <= mention.year <= LAST_YEAR
        if not absurd and not _is_a_word(match) and not _VERSION_BEFORE.search(text[: match.start()]):
            yield mention


def _mention(match: re.Match[str]) -> Mention:
    named = match.groupdict()
    month = MONTHS[named["month"].lower()] if named.get("month") else int(named["mon"])
    year, day = (int(named[part]) if named.get(part) else None for part in ("year", "day"))
    weekday = _WEEKDAY_BEFORE.search(match.string[: match.start()])
    return Mention(weekday.start() if weekday else match.start(), match.end(), year, month, day)


def _is_a_word(match: re.Match[str]) -> bool:
    """Whether the month is rather a word of the language: "may 10 people", "set 2020", "Mars 2020"."""
    named = match.groupdict()
    month = named.get("month") or ""
    if not month or (named.get("day") and named.get("year")):
        return False
    if not named.get("year"):
        return month in ALSO_WORDS
    return month in ("Mars", "set")


def overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def span(year: int, month: int | None = None, day: int | None = None) -> tuple[date, date]:
    """First and last day of a day, a month or a year. Raises ValueError where there is no such day."""
    if day is not None and month is not None:
        return date(year, month, day), date(year, month, day)
    if month is not None:
        return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
    return date(year, 1, 1), date(year, 12, 31)
