"""A file on its way through the stages, and what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from store.files import FileRow
from store.records import Document, FileStat, Problem, Span

BATCH_BYTES = 1_000_000
BATCH_FILES = 256
FIRST_SHARE = 8


@dataclass(frozen=True, slots=True)
class Work:
    """One file to bring in; `event` is what it counts as if all goes well."""

    stat: FileStat
    row: FileRow | None
    event: str


@dataclass(slots=True)
class Item:
    """The file as the stages fill it in. A failed one with a document stands on its stored text.

    `texts` are the chunks' own; `sent` are those that are embedded and counted, with what stands before them.
    """

    work: Work
    sha256: str | None = None
    document: Document | None = None
    problem: Problem | None = None
    state: str = "indexed"
    language: str = "none"
    spans: list[Span] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    terms: list[Counter[str]] = field(default_factory=list)

    @property
    def path(self) -> str:
        return self.work.stat.path


@dataclass
class Outcome:
    """What became of the files so far; `unreachable` (the reason) ends the run, `away` is the model that was."""

    events: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    pending: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    touched: list[tuple[FileRow, FileStat]] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    embedded: int = 0
    reused: int = 0
    unreachable: str | None = None
    away: str = "embedding model"
    left_undone: str = "embedded nothing"
    sentences: dict[str, Any] = field(default_factory=dict)

    def leave(self, works: Iterable[Work], kind: str, reason: str) -> None:
        """Note files that wait for the next run."""
        for work in works:
            self.events[work.stat.path] = "pending"
            self.pending.append(Problem(work.stat.path, kind, reason))


def batched(works: Iterable[Work]) -> Iterator[list[Work]]:
    """Consecutive files up to BATCH_BYTES or BATCH_FILES, at least one; first a few, for which the model waits."""
    batch: list[Work] = []
    size, share = 0, FIRST_SHARE
    for work in works:
        if batch and (size + work.stat.size_bytes > BATCH_BYTES // share or len(batch) >= BATCH_FILES // share):
            yield batch
            batch, size, share = [], 0, 1
        batch.append(work)
        size += work.stat.size_bytes
    if batch:
        yield batch
