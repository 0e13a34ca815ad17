"""Ingest a collection: scan, diff, (read, split, embed, write) per batch, publish."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import catalog, repair, sentences, writer
from store.errors import FAILED, PARTIAL, WhereinError
from store.files import FileRow
from store.records import FileStat, Problem, StageTime
from store.writer import Writer
from tasks.diff import same_stat
from tasks.stage import Trace, stage, tracing
from wherein.pipelines import models, plan
from wherein.pipelines.items import Outcome, Work
from wherein.pipelines.plan import IngestOptions, Known, Plan
from wherein.workspace import Workspace

if TYPE_CHECKING:
    from wherein.pipelines.situate import Situator

EVENTS = ("added", "changed", "touched", "renamed", "deleted", "unchanged", "failed", "empty", "skipped")
QUIET = frozenset({"symlink", "name"})
"""Kinds of problems that leave nothing out that was asked for."""
Progress = Callable[[str, int, int, float], None]
"""Called with (collection, texts embedded, texts expected, share of the work that is done)."""


def silent(_name: str, _done: int, _expected: int, _share: float) -> None:
    """No progress shown."""


@dataclass(frozen=True)
class IngestReport:
    """What a run did; the JSON of `ingest`."""

    collection: str
    generation: int
    files: dict[str, int]
    chunks: dict[str, int]
    embedded: int
    reused: int
    problems: tuple[Problem, ...]
    stages: tuple[StageTime, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    pending: int = 0
    dry_run: bool = False
    estimate: dict[str, Any] = field(default_factory=dict)
    sentences: dict[str, Any] = field(default_factory=dict)

    @property
    def code(self) -> int:
        return PARTIAL if self.pending or any(p.kind not in QUIET for p in self.problems) else 0


def ingest(
    workspace: Workspace, name: str, options: IngestOptions | None = None, progress: Progress = silent
) -> IngestReport:
    """Bring the index of a collection up to its folder; raises WhereinError if nothing useful was done."""
    options = options or IngestOptions()
    if options.dry_run:
        return _rehearse(workspace, name, options)
    started = time.perf_counter()
    with (
        tracing() as trace,
        writer.opened(
            workspace.folder_of(name), name, options.wait_seconds, anew=options.rebuild, log=workspace.log
        ) as index,
    ):
        health = _health(workspace, name, index)
        known = Known(index.live(), index.settings(), index.last_scan_ns)
        todo = plan.make(workspace, name, known, options)
        outcome = _bring_in(workspace, name, index, todo, options, progress)
        _remove(index, todo, outcome)
        _publish_if_needed(workspace, index, todo, outcome)
        index.finish([*todo.diff.touched, *outcome.touched], outcome.pending, todo.scan.started_ns, todo.scan.excluded)
        report = _report(name, index, todo, outcome, trace, time.perf_counter() - started)
        report = replace(report, notes=(*health, *report.notes))
    if outcome.unreachable is not None and not any(e in ("added", "changed") for e in outcome.events.values()):
        raise WhereinError(
            f"The {outcome.away} of collection {name!r} {outcome.left_undone} ({outcome.unreachable}):"
            f" {len(outcome.pending)} files wait for the next `wherein ingest`.",
            kind="unreachable",
            code=FAILED,
        )
    return report


def _health(workspace: Workspace, name: str, index: Writer) -> list[str]:
    """Mend what is damaged of the index; what was done, and what a person should know of it."""
    mended = repair.mend(index, workspace.log)
    notes = [f"{problem}: rebuilt from the catalog, without calling a model" for problem in mended]
    if index.salvaged is not None:
        notes.append(f"the damaged catalog was put away; {index.salvaged:,} embeddings in it were whole and are kept")
    held = catalog.held(index.connection)
    if held is not None:
        notes.append(
            f"questions go on reading generation {held}, which is held: `wherein generations --use latest --collection"
            f" {name}` ends that"
        )
    return notes


def _works(todo: Plan) -> list[Work]:
    work = [Work(stat, None, "added") for stat in todo.diff.added]
    work += [Work(stat, row, "changed") for row, stat in todo.diff.changed]
    work += [Work(stat, row, "renamed") for row, stat in todo.diff.renamed]
    if todo.rederive or todo.anew:
        event = "changed" if todo.anew else "rederived"
        kept = [*todo.diff.unchanged, *(row for row, _ in todo.diff.touched), *(row for row, _ in todo.diff.blocked)]
        work += [Work(_stat_of(row), row, event) for row in kept if row.content_id is not None]
    return sorted(work, key=lambda w: w.stat.path)


def _stat_of(row: FileRow) -> FileStat:
    return FileStat(row.path, row.size_bytes, row.mtime_ns, row.ctime_ns, row.inode)


def _bring_in(
    workspace: Workspace, name: str, index: Writer, todo: Plan, options: IngestOptions, progress: Progress
) -> Outcome:
    works = _works(todo)
    if not works and not todo.diff.blocked:
        return Outcome()
    from tasks.embed import load_embedder
    from wherein.pipelines.batches import Batches
    from wherein.pipelines.expected import Expected
    from wherein.pipelines.versions import behind_failure

    index.begin(work.stat.path for work in works)
    expected = Expected(works, partial(plan.texts_in, todo.shape), partial(progress, name))
    batches = Batches(
        index, todo.root, todo.shape, plan.max_bytes(workspace, name),
        lambda: load_embedder(models.embedding(workspace)), expected, anew=todo.anew, forget=options.forget,
        part=workspace.settings.embedding.batch, situator=_situator(workspace, index, todo),
    )  # fmt: skip
    outcome = batches.run(works)
    if batches.situator is not None:
        outcome.sentences = batches.situator.report()
    if not todo.anew and not todo.rederive:
        changed = [(r, p) for r, p in todo.diff.blocked if (r.state, r.reason) != ("failed", p.reason)]
        index.stage([behind_failure(row, row.path, p.kind, p.reason) for row, p in changed])
    return outcome


def _situator(workspace: Workspace, index: Writer, todo: Plan) -> Situator | None:
    if todo.shape["chunking"]["context"] != "llm":
        return None
    from wherein.pipelines.situate import situator

    return situator(workspace, index.folder, todo.shape)


def _remove(index: Writer, todo: Plan, outcome: Outcome) -> None:
    gone = [*todo.diff.deleted, *todo.diff.excluded]
    outcome.removed += sum(len(index.text_keys(row)) for row in gone)
    index.end(gone)


def _publish_if_needed(workspace: Workspace, index: Writer, todo: Plan, outcome: Outcome) -> None:
    if outcome.unreachable is not None and (todo.anew or (index.current == 0 and not index.dirty)):
        return  # half a rebuild, or a first index that holds nothing: an answer from it would be an empty one
    if todo.anew:
        index.loosen()
    if index.dirty or index.settings() != todo.shape or index.current == 0:
        _publish(index, todo.shape, workspace.settings.index.keep_generations)
        sentences.tidy(index.connection, index.folder, todo.shape, index.chunk_total())


@stage("publish")
def _publish(index: Writer, shape: dict[str, Any], keep: int) -> int:
    return index.publish(shape, keep)


def _report(name: str, index: Writer, todo: Plan, outcome: Outcome, trace: Trace, seconds: float) -> IngestReport:
    problems = _problems(index, todo)
    return IngestReport(
        collection=name,
        generation=index.current,
        files=_count(todo, outcome.events),
        chunks={"added": outcome.added, "removed": outcome.removed, "total": index.chunk_total()},
        embedded=outcome.embedded,
        reused=outcome.reused,
        problems=tuple(problems),
        stages=trace.times(),
        seconds=round(seconds, 6),
        notes=(*todo.notes, *outcome.notes),
        pending=len(outcome.pending),
        sentences=outcome.sentences,
    )


def _problems(index: Writer, todo: Plan) -> list[Problem]:
    """Everything left out as of now: states recorded in the catalog, files waiting, links, closed folders."""
    found = [*todo.scan.skipped, *todo.scan.unlistable, *index.problems()]
    return sorted(found, key=lambda p: (p.path, p.kind))


def _count(todo: Plan, events: dict[str, str]) -> dict[str, int]:
    counts = Counter(event for event in events.values() if event != "rederived")
    handled = {path for path, event in events.items() if event != "rederived"}
    for row in (*todo.diff.unchanged, *(row for row, _ in todo.diff.touched)):
        if row.path not in handled:
            counts[_state_event(row, "unchanged")] += 1
    touched = [row for row, _ in todo.diff.touched if row.path not in handled and row.state == "indexed"]
    counts["unchanged"] -= len(touched)
    counts["touched"] += len(touched)
    counts["failed"] += sum(row.path not in handled for row, _ in todo.diff.blocked)
    counts["deleted"] += len(todo.diff.deleted)
    counts["skipped"] += len(todo.scan.skipped) + todo.scan.excluded
    return {event: counts[event] for event in EVENTS}


def _state_event(row: FileRow, event: str) -> str:
    return event if row.state == "indexed" else row.state


def _rehearse(workspace: Workspace, name: str, options: IngestOptions) -> IngestReport:
    """Scan and diff against a read-only catalog; nothing is written."""
    started = time.perf_counter()
    folder = workspace.folder_of(name)
    with tracing() as trace:
        known, number, chunks = _peek(folder, workspace.log)
        todo = plan.make(workspace, name, known, options)
        missing = _sentences_missing(folder, workspace.log, known, todo)
    events = {w.stat.path: w.event for w in _works(todo)}
    paid = ("added", "changed", *(["renamed"] if todo.shape["chunking"]["context"] == "headings" else []))
    works = [w for w in _works(todo) if w.event in paid]
    texts, tokens = plan.estimate(todo, [w.stat.size_bytes for w in works])
    return IngestReport(
        name, number, _count(todo, events), {"added": 0, "removed": 0, "total": chunks}, 0, 0,
        (*todo.scan.skipped, *todo.scan.unlistable), trace.times(), round(time.perf_counter() - started, 6),
        tuple(todo.notes), dry_run=True,
        estimate={**_price(workspace, texts, tokens), **_price_of_sentences(workspace, todo, works, missing)},
    )  # fmt: skip


def _peek(folder: Path, log: Path) -> tuple[Known, int, int]:
    connection = catalog.open_for_reading(folder, log)
    if connection is None:
        return Known({}, None, 0), 0, 0
    try:
        index = writer.peek(connection, folder)
        return Known(index.live(), index.settings(), index.last_scan_ns), index.current, index.chunk_total()
    finally:
        connection.close()


def _sentences_missing(folder: Path, log: Path, known: Known, todo: Plan) -> dict[str, int]:
    """Of files whose bytes and chunks stay as they are: how many chunks no sentence is remembered for, by path."""
    chunking = todo.shape["chunking"]
    if chunking["context"] != "llm" or known.settings is None or known.settings["chunking"] != chunking:
        return {}
    connection = catalog.open_for_reading(folder, log)
    if connection is None:
        return {}
    with closing(connection):
        rows = [w.row for w in _works(todo) if w.row is not None and same_stat(w.row, w.stat)]
        return {row.path: sentences.missing(connection, folder, row.id, chunking["llm"]) for row in rows}


def _price_of_sentences(
    workspace: Workspace, todo: Plan, works: Sequence[Work], missing: Mapping[str, int]
) -> dict[str, Any]:
    files = [(missing.get(w.stat.path, plan.texts_in(todo.shape, w.stat.size_bytes)), w.stat.size_bytes) for w in works]
    found = plan.calls(workspace, todo.shape, files)
    return {"sentences": found} if found else {}


def _price(workspace: Workspace, texts: int, tokens: int) -> dict[str, Any]:
    config = models.embedding(workspace)
    price = config.server.price_in if config.server is not None else 0.0
    cost = None if price is None else round(tokens * price / 1e6, 6)
    return {"texts": texts, "tokens": tokens, "cost": cost}
