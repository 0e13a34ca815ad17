"""Read, split, embed and write files, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from store.embeddings import embedding_key
from store.files import FileRow
from store.records import Document, FileStat, Problem
from store.writer import Writer
from tasks.analyse import Analyser, detect_language
from tasks.embed import Embedder
from tasks.parallel import ahead
from tasks.read import Unread, load, parse
from tasks.remember import embed_missing
from tasks.split import Shape, split
from tasks.stage import stage
from tasks.walk import file_stat
from wherein.pipelines.context import headed
from wherein.pipelines.expected import Expected
from wherein.pipelines.items import Item, Outcome, Work, batched
from wherein.pipelines.versions import Versions

if TYPE_CHECKING:
    from wherein.pipelines.situate import Situator


@dataclass
class Batches:
    """The stages with what they share; the embedder is loaded when the first text needs it.

    `anew`: nothing of the old index is taken over but remembered embeddings; `forget`: not even these.
    `part`: how many embeddings are kept at a time. `situator` has a sentence put before each chunk.
    """

    index: Writer
    root: Path
    shape: dict[str, Any]
    max_bytes: int
    load_embedder: Callable[[], Embedder]
    expected: Expected
    anew: bool = False
    forget: bool = False
    part: int = 32
    situator: Situator | None = None
    outcome: Outcome = field(default_factory=Outcome)
    fresh: set[bytes] = field(default_factory=set)
    analyser: Analyser = field(default_factory=Analyser)

    @cached_property
    def embedder(self) -> Embedder:
        return self.load_embedder()

    def run(self, works: Sequence[Work]) -> Outcome:
        """Take every file through the stages, until the model cannot be reached."""
        versions = Versions(self.index, self.shape, self.outcome, self.anew)
        for batch, items in ahead(self._prepared, batched(works)):
            if self.outcome.unreachable is not None:
                self.outcome.leave(batch, "unreachable", self.outcome.unreachable)
                continue
            self._situate(items)
            self._embed(items)
            self._write(items, versions)
        return self.outcome

    def _prepared(self, batch: list[Work]) -> tuple[list[Work], list[Item]]:
        """Ready to be embedded: done while the batch before keeps the model busy."""
        return batch, [] if self.outcome.unreachable is not None else self._split(self._read(batch))

    @stage("read")
    def _read(self, batch: Sequence[Work]) -> list[Item]:
        return [self._read_one(work) for work in batch]

    def _read_one(self, work: Work) -> Item:
        suffix = PurePosixPath(work.stat.path).suffix.lower()
        if work.event == "rederived" and work.row is not None:
            return self._stored(work, work.row, suffix)
        try:
            loaded = load(self.root / work.stat.path, self.max_bytes)
            document = parse(loaded.data, suffix)
        except Unread as unread:
            return self._unread(work, unread, suffix)
        if document.note:
            self.outcome.notes.append(f"{work.stat.path}: {document.note}")
        return Item(Work(_at_read(work.stat, loaded.stat), work.row, work.event), loaded.sha256, document)

    def _unread(self, work: Work, unread: Unread, suffix: str) -> Item:
        """A file that cannot be read stands on its stored text where all texts are made anew."""
        reason = unread.reason + (" by max_file_mb" if unread.kind == "over-limit" else "")
        problem = Problem(work.stat.path, unread.kind, reason)
        if unread.state == "failed" and self.anew and work.row is not None:
            item = self._stored(work, work.row, suffix)
            item.state, item.problem = "failed", problem
            return item
        state = "skipped" if unread.kind == "placeholder" and not _has_content(work.row) else unread.state
        return Item(work, state=state, problem=problem)

    def _stored(self, work: Work, row: FileRow, suffix: str) -> Item:
        text = self.index.text(row)
        item = Item(work, row.sha256, state=row.state)
        item.document = parse(text.encode(), suffix) if text is not None else None
        if row.reason is not None and row.kind is not None:
            item.problem = Problem(row.path, row.kind, row.reason)
        return item

    @stage("split")
    def _split(self, items: list[Item]) -> list[Item]:
        for item in items:
            if item.document is not None:
                self._split_one(item, item.document)
        return items

    def _split_one(self, item: Item, document: Document) -> None:
        limits = Shape(*(self.shape["chunking"][key] for key in ("size", "overlap", "paragraph_separator")))
        markdown = item.path.lower().endswith(".md")
        item.spans = split(document.text, document.body_start, limits, self.embedder.tokenize, markdown=markdown)
        item.texts = [document.text[s.char_start : s.char_end] for s in item.spans]
        wanted = self.shape["language"]
        item.language = detect_language(document.text) if wanted == "auto" else wanted
        if self.situator is None:
            self._send(item, headed(item, document, self.shape, self.embedder.tokenize))
        if not item.spans and item.state == "indexed":
            item.state = "empty"

    def _send(self, item: Item, sent: list[str]) -> None:
        """What is embedded and counted of each chunk."""
        fingerprint = self.shape["embedding"]["fingerprint"]
        item.sent = sent
        item.keys = [embedding_key(fingerprint, self.embedder.sent(text)) for text in sent]
        item.terms = [Counter(self.analyser.document_terms(text, item.language)) for text in sent]

    def _situate(self, items: Sequence[Item]) -> None:
        """Have a sentence put before each chunk, where the settings want that."""
        if self.situator is None:
            return
        for item, sent in zip(items, self.situator.situate(items, self.embedder.tokenize), strict=True):
            if sent is not None and item.document is not None:
                self._send(item, sent)
        if self.situator.unreachable is not None:
            self.outcome.unreachable = self.situator.unreachable
            self.outcome.away = f"language model {self.situator.model.name!r}"
            self.outcome.left_undone = "wrote nothing"

    def _embed(self, items: Sequence[Item]) -> None:
        """Embed what is not remembered; files with a refused text fail, files left without one wait."""
        wanted = {key: text for item in items for key, text in zip(item.keys, item.sent, strict=True)}
        known = self.index.known(sorted(wanted))
        missing = {k: t for k, t in wanted.items() if k not in known or (self.forget and k not in self.fresh)}
        self.expected.settle([item.work for item in items], len(missing), sum(map(len, missing.values())))
        if not missing:
            return
        done = embed_missing(self.embedder, missing, self.index.remember, self.expected.advance, self.part)
        self.fresh.update(missing)
        self.outcome.embedded += done.embedded
        self.outcome.unreachable = self.outcome.unreachable or done.unreachable
        for item in items:
            self._judge(item, done.refused, done.unreachable)

    def _judge(self, item: Item, refused: dict[bytes, str], unreachable: str | None) -> None:
        reason = next((refused[key] for key in item.keys if key in refused), None)
        if reason is not None:
            item.state, item.keys = "failed", []
            item.problem = Problem(item.path, "refused", f"the embedding model refused a text: {reason}")
        elif unreachable is not None and len(self.index.known(item.keys)) < len(set(item.keys)):
            item.state, item.problem = "pending", Problem(item.path, "unreachable", unreachable)

    @stage("write")
    def _write(self, items: list[Item], versions: Versions) -> list[Item]:
        staged = [file for item in items if (file := versions.stage(item, self.fresh)) is not None]
        self.index.stage(staged)
        return items


def _has_content(row: FileRow | None) -> bool:
    return row is not None and row.content_id is not None


def _at_read(stat: FileStat, found: Any) -> FileStat:
    return file_stat(stat.path, found)
