"""A workspace over a small folder, and everything of its index that must not depend on how it came about."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from store import snapshot
from tasks import embed as embed_module
from tests.support.embedder import HashedWords
from wherein.pipelines import loaded, sources
from wherein.pipelines.ingest import IngestReport, ingest
from wherein.pipelines.plan import IngestOptions
from wherein.pipelines.query import QueryOptions, search
from wherein.workspace import Workspace

TOML = """
[collections.c]
path = "files"
dates = ["name", "front_matter", "content"]
[chunking]
size = {size}
overlap = 2
context = "{context}"
[rerank]
enabled = false
[retrieval]
per_source = 0
"""
QUERIES = ("ale", "bee cod", "what is the dew of elm", "2021-03-04", "fir gum")


def use(monkeypatch: Any, embedder: HashedWords) -> None:
    """Let every pipeline in this process embed with `embedder`."""
    monkeypatch.setattr(embed_module, "load_embedder", lambda _config: embedder)
    monkeypatch.setattr(loaded, "embedder", lambda _config: embedder)


class Folder:
    """`files` below a workspace folder."""

    def __init__(self, place: Path, size: int = 16, context: str = "none") -> None:
        self.place = place
        self.files = place / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.configure(size, context)

    def configure(self, size: int, context: str) -> None:
        text = TOML.format(size=size, context=context)
        (self.place / "wherein.toml").write_text(text, encoding="utf-8")
        self.__dict__.pop("workspace", None)

    @cached_property
    def workspace(self) -> Workspace:
        return Workspace.find(self.place)

    @property
    def index(self) -> Path:
        return self.place / ".wherein" / "collections" / "c"

    def generation(self) -> int:
        """The number of the current generation; 0 before the first."""
        with snapshot.opened(self.index, self.workspace.log) as opened:
            return 0 if opened is None else opened.number

    def indexed_with(self) -> tuple[int, str]:
        """Chunk size and context that the index was made with; those of the settings before there is one."""
        with snapshot.opened(self.index, self.workspace.log) as opened:
            if opened is None:
                chunking = self.workspace.settings.chunking
                return chunking.size, chunking.context
            return int(opened.settings["chunking"]["size"]), str(opened.settings["chunking"]["context"])

    def ingest(self, **options: Any) -> IngestReport:
        return ingest(self.workspace, "c", IngestOptions(allow_deletes=True, **options))

    def write(self, path: str, data: bytes, mtime_ns: int | None = None) -> None:
        target = self.files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if mtime_ns is not None:
            os.utime(target, ns=(mtime_ns, mtime_ns))

    def state(self) -> dict[str, Any]:
        """Rows with text, place, vector and terms, in row order; the keyword index byte for byte."""
        if not self.generation():
            return {"rows": []}
        with sources.opened(self.workspace, ["c"], []) as ((_, opened),):
            if not len(opened):
                return {"rows": []}
            table = opened.rows.arrays
            rows = []
            for number, passage in enumerate(opened.passages(range(len(opened)))):
                place = int(table["segment"][number]), int(table["row"][number])
                vector = opened.segments[place[0]][place[1]].tobytes()
                rows.append((passage.path, passage.position, passage.char_start, passage.text, passage.date, vector))
            lexicon = {name: array.tobytes() for name, array in opened.lexicon.arrays.items()}
            return {"rows": rows, "lexicon": lexicon, "groups": table["group"].tobytes()}

    def answers(self, turn: int | None = None) -> list[Any]:
        """Hits in order, with scores and ranks, of every query in every mode, or of the query whose turn it is."""
        found = []
        for query in QUERIES if turn is None else (QUERIES[turn % len(QUERIES)],):
            for mode in ("hybrid", "vector", "keyword"):
                evidence = search(self.workspace, query, QueryOptions(mode=mode, k=5))
                found.append([(h.path, h.position, h.scores, h.ranks, h.also_in, h.pinned) for h in evidence.hits])
        return found
