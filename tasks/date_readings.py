"""From dates as written to days of the calendar: missing parts, ranges, and "since" or "before"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tasks.calendar_words import (
    AFTER,
    ALSO_WORDS,
    BEFORE,
    FIRST_YEAR,
    LAST_YEAR,
    MONTH_NAME,
    MONTHS,
    Mention,
    mentions,
    overlap,
    plain_letters,
    span,
)
from tasks.date_parts import part as part_of

_TO_WORDS = r"up to|to|until|till|through|thru|bis(?:\s+zum)?|au|à|jusqu'(?:au|à)|al?|hasta|fino\s+al?"
_TO = rf"\s*(?:-|–|—|\b(?:{_TO_WORDS})\b)\s*"
_AND = r"\s*(?:,|&|,?\s*\b(?:and|or|und|oder|et|ou|y|o|e|ed)\b)\s*"
_ARTICLE = r"(?:(?:the|den|dem|le|el|il)\s+)?"
_PART = r"(?:(?:end|middle|beginning|start)\s+of\s+|(?:early|late|mid)[\s-]+)?"
_RANGE = re.compile(_TO + _ARTICLE + _PART, re.IGNORECASE)
_LIST = re.compile(_AND + _ARTICLE, re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s+(?:dem\s+)?(?:(?:the|le|el|il)\s+)?$", re.IGNORECASE)
_HEAD = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?|(?P<month>{MONTH_NAME})\.?)"
    rf"(?P<link>(?:{_TO}|{_AND}){_ARTICLE}{_PART})$",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"(?:{_TO}|{_AND})(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){AFTER}", re.I)
_YEAR_CONTEXT = (
    "in|during|of|since|from|until|till|before|after|by|throughout|year|between|around|late|early|mid|to|and|or|through"
    "|summer|winter|spring|autumn|fall|christmas|easter|im jahr|jahr|jahre|seit|vor|nach|bis|von|zwischen|und|anno|en"
    "|depuis|avant|après|l'année|année|l'an|de|entre|et|à|été|hiver|desde|hasta|año|del|y|nel|dal|al|di|tra|fino al|e"
    "|sommer|frühling|frühjahr|herbst|verano|invierno|estate|inverno"
)
_COUNTED = "words|people|men|women|items|files|rows|lines|pages|chars|characters|tokens|bytes|copies|steps|times|years"
_COUNTED += "|miles|km|meters|metres|feet|pounds|dollars|euros|percent|jahren|wörter|seiten|mots|palabras|parole|anni"
_YEAR = re.compile(
    rf"\b(?:{_YEAR_CONTEXT})\s+{BEFORE}(?P<year>\d{{4}})(?:\s?[-–]\s?(?P<to>\d{{4}}))?{AFTER}"
    rf"(?!\s+(?:{_COUNTED})\b)",
    re.IGNORECASE,
)
_BARE_MONTH = re.compile(
    rf"\b(?:in|during|since|throughout|im|seit|en|depuis|desde|a|nel|dal)\s+(?P<month>{MONTH_NAME})\b(?!\s*\d)",
    re.IGNORECASE,
)
_EDGES = (
    ("since", re.compile(r"\b(?:since|seit|depuis|desde|dal)\s+(?:(?:the|dem|le|el|il)\s+)?$", re.IGNORECASE)),
    ("after", re.compile(r"\b(?:after|nach|après|después de|dopo)\s+(?:(?:the|dem|le|el|il)\s+)?$", re.IGNORECASE)),
    ("before", re.compile(r"\b(?:before|vor|avant|antes de|prima d[ei]l?)\s+(?:(?:the|dem|le|el|il)\s+)?$", re.I)),
    ("until", re.compile(r"\b(?:until|till|up to|bis(?: zum)?|jusqu'(?:au|à)|hasta|fino al?)\s+(?:the\s+)?$", re.I)),
)
_FROM = re.compile(r"\bfrom\s+(?:the\s+)?$", re.IGNORECASE)
_ON = re.compile(r"\s*(?:on|onwards?|forwards?|(?:un)?til (?:now|today)|to (?:now|today|date|the present))\b", re.I)
_NEXT_DOOR = (
    (-1, re.compile(r"\b(?:the\s+)?day before\s+(?:the\s+)?$", re.IGNORECASE)),
    (1, re.compile(r"\b(?:the\s+)?day after\s+(?:the\s+)?$", re.IGNORECASE)),
)
_WEEK = re.compile(r"\bweek (?:of|from|beginning|starting)\s+(?:on\s+)?(?:the\s+)?$", re.IGNORECASE)

_DAY_PAIR = re.compile(
    rf"(?<![\w.:/-])(\d{{1,2}})[-–](\d{{1,2}})(?=(?:st|nd|rd|th|\.)?\s+(?:of |de )?(?:{MONTH_NAME})\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A stretch of text and the days it was read as, or why it was ignored; `is_day`: one day is asked about."""

    start: int
    end: int
    days: tuple[date, date] | None
    is_day: bool = False
    why_not: str = ""


def readings(text: str) -> list[Reading]:
    """The absolute dates of a text, in order."""
    parts = _parts(text)
    known = sorted({part.year for part in parts if part.year is not None})
    year = known[0] if len(known) == 1 else None
    read: list[Reading] = []
    at = 0
    while at < len(parts):
        until = _range_end(text, parts, at)
        first, last = parts[at], parts[until]
        read.append(_range(text, first, last, year) if until > at else _single(text, first, year))
        at = until + 1
    return read


def readable(text: str) -> str:
    """The text as dates are read: letters composed, apostrophes plain, "3-5 May" with room around the dash."""
    composed = plain_letters(unicodedata.normalize("NFC", text)).replace("’", "'")
    return _DAY_PAIR.sub(r"\1 - \2", composed)


def _parts(text: str) -> list[Mention]:
    """Dates as written, with bare days, months and years that lean on them."""
    parts = mentions(text)
    parts += [year for year in _years(text) if not any(overlap(year, part) for part in parts)]
    parts = _with_tails(text, _with_heads(text, sorted(parts, key=lambda m: m.start)))
    parts += [m for m in _bare_months(text) if not any(overlap(m, part) for part in parts)]
    return _inherit(text, sorted(parts, key=lambda m: m.start))


def _years(text: str) -> list[Mention]:
    """Numbers of four digits that stand where a year stands; a bare one may be anything."""
    found = [(match, name) for match in _YEAR.finditer(text) for name in ("year", "to") if match[name]]
    years = [Mention(match.start(name), match.end(name), int(match[name])) for match, name in found]
    return [year for year in years if year.year is not None and FIRST_YEAR <= year.year <= LAST_YEAR]


def _bare_months(text: str) -> list[Mention]:
    found = ((match, match["month"]) for match in _BARE_MONTH.finditer(text))
    return [
        Mention(match.start("month"), match.end("month"), None, MONTHS[name.lower()])
        for match, name in found
        if name[0].isupper() or name not in ALSO_WORDS
        if len(name) > 3 or name.lower() == "may"
    ]


def _with_heads(text: str, parts: list[Mention]) -> list[Mention]:
    """ "10 to 16 June" and "March to May 1665": the bare day or month before a fuller date."""
    found: list[Mention] = []
    for part in parts:
        heads = [part]
        while (head := _head(text, heads[0], part)) is not None and not any(overlap(head, p) for p in parts):
            heads.insert(0, head)
        found.extend(heads)
    return found


def _head(text: str, before: Mention, whole: Mention) -> Mention | None:
    match = _HEAD.search(text[: before.start])
    if match is None or whole.month is None:
        return None
    day = int(match["day"]) if match["day"] else None
    if (day is None) != (whole.day is None):
        return None
    month = MONTHS[match["month"].lower()] if match["month"] else None
    return Mention(match.start(), match.start("link"), None, month, day)


def _with_tails(text: str, parts: list[Mention]) -> list[Mention]:
    """ "June 10 to 16, 1667": the bare day and year after a date without a year."""
    found: list[Mention] = []
    for part in parts:
        match = _TAIL.match(text, part.end) if part.year is None and part.day is not None else None
        found.append(part)
        if match and part.month is not None:
            tail = Mention(match.start("day"), match.end(), int(match["year"]), part.month, int(match["day"]))
            found.append(tail)
    return [part for part in found if not any(overlap(part, o) and o.day is not None and o != part for o in found)]


def _inherit(text: str, parts: list[Mention]) -> list[Mention]:
    """Joined dates share what one of them leaves out: the later one gives month and year, the earlier the year."""
    given = list(parts)
    for i in range(len(given) - 2, -1, -1):
        if _joined(text, given[i], given[i + 1]):
            later = given[i + 1]
            month = given[i].month or (later.month if given[i].day is not None else None)
            given[i] = replace(given[i], month=month, year=given[i].year or later.year)
    for i in range(1, len(given)):
        if given[i].year is None and _joined(text, given[i - 1], given[i]):
            given[i] = replace(given[i], year=given[i - 1].year)
    return given


def _joined(text: str, one: Mention, other: Mention) -> bool:
    between = text[one.end : other.start]
    return bool(_RANGE.fullmatch(between) or _LIST.fullmatch(between))


def _range_end(text: str, parts: list[Mention], at: int) -> int:
    """The index of the date that ends the range which the date at `at` begins; `at` itself if none does."""
    if at + 1 == len(parts):
        return at
    between = text[parts[at].end : parts[at + 1].start]
    if _RANGE.fullmatch(between) or (_LIST.fullmatch(between) and _BETWEEN.search(text[: parts[at].start])):
        return at + 1
    return at


def _range(text: str, first: Mention, last: Mention, year: int | None) -> Reading:
    begin, end = (_in_part(text, _days(each, year)) for each in (first, last))
    why_not = begin.why_not or end.why_not
    if begin.days is None or end.days is None:
        return Reading(first.start, last.end, None, why_not=why_not)
    if begin.days[0] > end.days[1]:
        return Reading(first.start, last.end, None, why_not="it ends before it begins")
    return Reading(begin.start, last.end, (begin.days[0], end.days[1]))


def _in_part(text: str, read: Reading) -> Reading:
    """A month or year cut down to the part that the words before it ask for."""
    found = None if read.days is None or read.is_day else part_of(text[: read.start], read.days)
    return read if found is None else Reading(found[0], read.end, *found[1:])


def _days(part: Mention, year: int | None) -> Reading:
    written = part.year if part.year is not None else year
    if written is None:
        return Reading(part.start, part.end, None, why_not="it has no year")
    try:
        return Reading(part.start, part.end, span(written, part.month, part.day), part.day is not None)
    except ValueError:
        return Reading(part.start, part.end, None, why_not="there is no such day")


def _single(text: str, part: Mention, year: int | None) -> Reading:
    """One date, with what stands before it: "since", "the day after", "the week of"."""
    read = _in_part(text, _days(part, year))
    if read.days is None:
        return read
    before = text[: read.start]
    if read.is_day:
        for step, pattern in _NEXT_DOOR:
            if match := pattern.search(before):
                day = read.days[0] + timedelta(days=step)
                return Reading(match.start(), read.end, (day, day), True)
        if match := _WEEK.search(before):
            return Reading(match.start(), read.end, (read.days[0], read.days[0] + timedelta(days=6)))
    return _open_ended(text, read, read.days)


def _open_ended(text: str, read: Reading, days: tuple[date, date]) -> Reading:
    """With "since" and its like; "from" means that only where "on" follows: notes from May are those of May."""
    before, (first, last) = text[: read.start], days
    start = _FROM.search(before)
    if start and (on := _ON.match(text, read.end)):
        return Reading(start.start(), on.end(), (first, date.max))
    for edge, pattern in _EDGES:
        if match := pattern.search(before):
            ranges = {
                "since": (first, date.max),
                "after": (min(last, date.max - timedelta(days=1)) + timedelta(days=1), date.max),
                "before": (date.min, max(first, date.min + timedelta(days=1)) - timedelta(days=1)),
                "until": (date.min, last),
            }
            return Reading(match.start(), read.end, ranges[edge])
    return read
