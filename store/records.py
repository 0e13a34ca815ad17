"""The records that travel between stages: frozen, typed, and JSON by one function."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

PassageKey = tuple[str, str, int]
"""(collection, path, position): the identity of a passage, and the order of ties."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """What a directory listing says of a file; `path` is relative to the root, POSIX, as on disk."""

    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A file, or a folder (`path` ends with "/"), that was left out, and why."""

    path: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scan:
    """One walk over a root: every file a rule lets in, and what was left out.

    `skipped`: named one by one (symlink, name that is not text). `excluded`: how many files a rule left out.
    `unlistable`: folders whose files are unknown, not gone.
    """

    started_ns: int
    files: list[FileStat]
    skipped: list[Problem]
    excluded: int
    unlistable: list[Problem]


@dataclass(frozen=True, slots=True)
class Document:
    """A file's decoded text. `body_start` is where the text after front matter begins (code points)."""

    text: str
    encoding: str
    body_start: int = 0
    title: str | None = None
    front_matter: dict[str, Any] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A chunk of a document: offsets half-open in code points, lines 1-based inclusive."""

    char_start: int
    char_end: int
    line_start: int
    line_end: int
    heading: str | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry of a channel's list; `rank` from 1."""

    key: PassageKey
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Place:
    """Another place that holds the same text."""

    collection: str
    path: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Scores:
    """Cosine, BM25, fused, raw rerank score and final score; None where a channel did not find the chunk."""

    vector: float | None = None
    keyword: float | None = None
    fused: float | None = None
    rerank: float | None = None
    final: float | None = None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks from 1 in each list; None where a list does not hold the chunk."""

    vector: int | None = None
    keyword: int | None = None
    date: int | None = None
    name: int | None = None
    fused: int | None = None
    rerank: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with what every stage said of it; a date from "mtime" is the file's time, not its own."""

    rank: int
    collection: str
    path: str
    date: str | None
    heading: str | None
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    text: str
    scores: Scores
    ranks: Ranks
    pinned: bool = False
    also_in: tuple[Place, ...] = ()
    position: int = 0
    date_from: str | None = None

    @property
    def key(self) -> PassageKey:
        return (self.collection, self.path, self.position)


@dataclass(frozen=True, slots=True)
class Signal:
    """What confidence was read from: "rerank" (its raw score), "vector" (cosine) or None, with its thresholds."""

    name: str | None
    value: float | None
    weak: float | None
    none: float | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many candidates each step of the selection left out."""

    floor: int = 0
    cap: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class StageTime:
    """One stage of a run: seconds and items summed over its calls."""

    stage: str
    seconds: float
    items: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The outcome of a retrieval; the JSON of `search`. `wordings`: the other texts that were searched by.

    `rerank_scale` says what `scores.rerank` and a signal of that name are: "logit", or "mean cosine".
    """

    query: str
    mode: str
    generations: dict[str, int]
    confidence: str
    signal: Signal
    hits: tuple[Hit, ...]
    dropped: Dropped
    nearest: tuple[Hit, ...]
    notes: tuple[str, ...]
    stages: tuple[StageTime, ...]
    index_age_seconds: float | None
    reranked: bool = False
    rerank_scale: str | None = None
    rerank_failed: bool = False
    expansion_failed: bool = False
    wordings: tuple[Any, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether a step that was asked for failed."""
        return self.rerank_failed or self.expansion_failed


@dataclass(frozen=True, slots=True)
class Citation:
    """One (marker, quotation) of an answer; lines are the quotation's where it was verified."""

    marker: int
    collection: str
    path: str
    line_start: int
    line_end: int
    quote: str | None
    verified: bool | None


def to_json(record: Any) -> Any:
    """The JSON value of a record, a list or a mapping of them."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_json(getattr(record, f.name)) for f in dataclasses.fields(record)}
    if isinstance(record, dict):
        return {str(k): to_json(v) for k, v in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_json(v) for v in record]
    return record
