"""Which version of a file to write, given how its reading went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from store.embeddings import text_key
from store.files import FileRow, StagedChunk, StagedFile
from store.records import Document, FileStat
from store.writer import Writer
from tasks.file_dates import file_date
from wherein.pipelines.items import Item, Outcome


class Versions:
    """Turn items into staged files, and count what they are."""

    def __init__(self, index: Writer, shape: dict[str, Any], outcome: Outcome, anew: bool) -> None:
        self._index = index
        self._shape = shape
        self._outcome = outcome
        self._anew = anew
        self._paid: set[bytes] = set()

    def stage(self, item: Item, fresh: set[bytes]) -> StagedFile | None:
        """The new version to write, or None if what is recorded already says the same.

        `fresh`: keys of the texts embedded in this run.
        """
        work, row, outcome = item.work, item.work.row, self._outcome
        if item.state == "pending":
            problem = item.problem
            outcome.leave([work], problem.kind if problem else "", problem.reason if problem else "")
            return None
        outcome.events[item.path] = work.event if item.state == "indexed" else item.state
        if item.problem is not None:
            outcome.problems.append(item.problem)
        if row is not None and self._same(item, row):
            self._touch(item, row)
            return None
        if item.document is not None and item.state != "skipped" and (item.state != "failed" or item.keys):
            return self._whole(item, item.document, fresh)
        return self._bare(item, row)

    def _same(self, item: Item, row: FileRow) -> bool:
        if self._anew or item.work.event in ("renamed", "rederived") or row.state != item.state:
            return False
        if item.problem is not None:
            return (row.kind, row.reason) == (item.problem.kind, item.problem.reason)
        return row.sha256 == item.sha256

    def _touch(self, item: Item, row: FileRow) -> None:
        if item.state != "failed":
            self._outcome.touched.append((row, item.work.stat))
        if item.state == "indexed" and item.work.event == "changed":
            self._outcome.events[item.path] = "touched"

    def _bare(self, item: Item, row: FileRow | None) -> StagedFile:
        """Without a text: a skipped file goes; behind a failed one its last good version stays."""
        kind, reason = (item.problem.kind, item.problem.reason) if item.problem else (None, None)
        if row is None or item.state == "skipped" or row.content_id is None or self._anew:
            self._count(row, [])
            return StagedFile(item.work.stat, item.sha256, item.state, kind, reason, replaces=row)
        return behind_failure(row, item.path, kind, reason)

    def _whole(self, item: Item, document: Document, fresh: set[bytes]) -> StagedFile:
        date, source = file_date(item.path, document, self._shape["dates"])
        chunks = self._chunks(item)
        self._count(item.work.row, [c.text_key for c in chunks])
        self._count_reuse(item.keys, fresh)
        kind, reason = (item.problem.kind, item.problem.reason) if item.problem else (None, None)
        return StagedFile(
            item.work.stat, item.sha256, item.state, kind, reason, document.text, date, source, document.title,
            item.language, chunks, item.work.row,
        )  # fmt: skip

    def _count_reuse(self, keys: Sequence[bytes], fresh: set[bytes]) -> None:
        """Every chunk but the first of each text that was embedded in this run takes over an embedding."""
        for key in keys:
            if key in fresh and key not in self._paid:
                self._paid.add(key)
            else:
                self._outcome.reused += 1

    def _chunks(self, item: Item) -> list[StagedChunk]:
        embeddings = self._index.known(item.keys)
        return [
            StagedChunk(span, text_key(text), embeddings[key], terms)
            for span, text, key, terms in zip(item.spans, item.texts, item.keys, item.terms, strict=True)
        ]

    def _count(self, row: FileRow | None, keys: Sequence[bytes]) -> None:
        before = Counter(self._index.text_keys(row) if row is not None else ())
        after = Counter(keys)
        self._outcome.added += (after - before).total()
        self._outcome.removed += (before - after).total()


def behind_failure(row: FileRow, path: str, kind: str | None, reason: str | None) -> StagedFile:
    """The last good version of a file, kept searchable while the file cannot be read."""
    stat = FileStat(path, row.size_bytes, row.mtime_ns, row.ctime_ns, row.inode)
    return StagedFile(
        stat, row.sha256, "failed", kind, reason, None, row.date, row.date_from, row.title, row.language,
        replaces=row, copy_chunks_of=row.id,
    )  # fmt: skip
