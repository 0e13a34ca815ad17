"""What a query may ask for beyond the settings, checked before work starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from unicodedata import category

from store.errors import usage
from tasks.dates import parse_range
from tasks.filters import BadGlob, Filters
from tasks.globs import compile_globs
from tasks.phrases import phrases
from wherein.workspace import Workspace

LONGEST_QUERY = 50_000  # characters; a model's window ends long before
_HALF = re.compile("[\ud800-\udfff]")  # half of a pair is no character
MODES = ("auto", "hybrid", "vector", "keyword")


@dataclass(frozen=True, slots=True)
class Wording:
    """Another text to search by; a `passage` is embedded as documents are, and searched by meaning alone."""

    text: str
    passage: bool = False


@dataclass(frozen=True)
class QueryOptions:
    """The flags of `wherein search`; None leaves a setting as it is.

    `wordings` are searched by as well, without asking a model for any.
    """

    mode: str | None = None
    rerank: bool | None = None
    k: int | None = None
    per_source: int | None = None
    collections: tuple[str, ...] = ()
    path: str | None = None
    since: str | None = None
    until: str | None = None
    on: str | None = None
    expand: bool = False
    hyde: bool = False
    like: str | None = None
    wordings: tuple[Wording, ...] = ()


def check(query: str, options: QueryOptions) -> str:
    """The query, stripped; raises WhereinError (exit 2) for what cannot be asked."""
    if not query.strip():
        raise usage("The query is blank: give a question or some words.", kind="usage")
    if len(query) > LONGEST_QUERY:
        raise usage(
            f"The query has {len(query):,} characters: give at most {LONGEST_QUERY:,}, the words that matter.",
            kind="usage",
        )
    if options.mode is not None and options.mode not in MODES:
        raise usage(f"--mode {options.mode!r} is not one of {', '.join(MODES)}.", kind="usage")
    if options.k is not None and options.k < 1:
        raise usage(f"-k {options.k} is not possible: ask for 1 passage or more.", kind="usage")
    if options.per_source is not None and options.per_source < 0:
        raise usage(f"--per-source {options.per_source} is not possible: 0 means no cap.", kind="usage")
    return _HALF.sub("\ufffd", query.strip())


def holds_word(query: str) -> bool:
    """Whether a query is more than punctuation: a symbol such as € may be looked for."""
    return any(category(character)[0] not in "CPZ" for character in query)


def filters(query: str, options: QueryOptions) -> Filters:
    """The absolute filters of a query."""
    first = parse_range(options.since, "--since")[0] if options.since else None
    last = parse_range(options.until, "--until")[1] if options.until else None
    if options.on:
        day_first, day_last = parse_range(options.on, "--on")
        first = max(first, day_first) if first else day_first
        last = min(last, day_last) if last else day_last
    if first is not None and last is not None and first > last:
        raise usage(f"The dates leave no day: {first} is after {last}; change --since, --until or --on.", kind="usage")
    try:
        if options.path is not None:
            compile_globs([options.path])
    except BadGlob as error:
        raise usage(f"--path {options.path!r}: {error}.", kind="usage") from error
    return Filters(options.path, first, last, tuple(phrases(query)))


def today(workspace: Workspace) -> date:
    """The day that "last week" counts from."""
    text = workspace.settings.retrieval.today
    return datetime.now(workspace.zone).date() if text is None else date.fromisoformat(text)
