"""Where the time of an ingest goes, and whether the remaining time it announces is true.

    python -m bench.inside FOLDER [--files 600]

The first files of a folder (or of the `files.tar.gz` in it) are ingested anew with the bundled model. Shown: the share
of the wall in which the model works on at least one core, and on all of them; the model's share of the processor
time; each stage; and at 25, 50 and 75 % of the texts the remaining seconds that the progress line says, beside those it
really took.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import clocks, folders
from tasks.onnx_models import Bert
from tasks.parallel import cores
from wherein.cli.progress import Bar
from wherein.pipelines.ingest import IngestReport, ingest
from wherein.workspace import Workspace

SETTINGS = '[collections.notes]\npath = "files"\n'
MARKS = (0.25, 0.5, 0.75)
Span = tuple[float, float]


@dataclass
class Inside:
    """When the model worked (begin and end of every call), and the processor seconds of these calls."""

    spans: list[Span] = field(default_factory=list)
    cpu_seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Every call of a bundled model is noted."""
        original: Any = Bert.run

        def run(bert: Bert, inputs: Any) -> Any:
            started, worked = time.perf_counter(), time.thread_time()
            result = original(bert, inputs)
            with self.lock:
                self.cpu_seconds += time.thread_time() - worked
                self.spans.append((started, time.perf_counter()))
            return result

        Bert.run = run  # type: ignore[method-assign]
        try:
            yield
        finally:
            Bert.run = original  # type: ignore[method-assign]


def covered(spans: Sequence[Span], by: int) -> float:
    """Seconds in which at least `by` of the spans overlap."""
    edges = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    total, running, last = 0.0, 0, 0.0
    for moment, step in edges:
        total += moment - last if running >= by else 0.0
        running, last = running + step, moment
    return total


class Announced(Bar):
    """The progress line, which also notes the remaining seconds it says."""

    def __init__(self, stack: ExitStack) -> None:
        super().__init__(stack, "texts")
        self.said: list[tuple[float, int, float | None]] = []

    def __call__(self, name: str, done: int, expected: int, share: float | None = None) -> None:
        super().__call__(name, done, expected, share)
        self.said.append((time.perf_counter(), done, self.pace.remaining_seconds))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=600)
    given = parser.parse_args()
    os.environ.setdefault("TERM", "xterm")
    with tempfile.TemporaryDirectory(prefix="bench-inside-") as place:
        workspace = prepared(given.folder, Path(place), given.files)
        watch, said, report, taken, ended = watched(workspace)
    show(watch, report, taken)
    show_announced(said, ended)


def prepared(source: Path, place: Path, files: int) -> Workspace:
    """A workspace over the first files."""
    folders.copy(source, place / "files")
    for surplus in folders.notes(place / "files")[files:]:
        surplus.unlink()
    (place / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    return Workspace.find(place)


def watched(workspace: Workspace) -> tuple[Inside, Announced, IngestReport, clocks.Cost, float]:
    """One ingest: what was noted, its report, its cost and when it ended."""
    watch, reports = Inside(), []
    with ExitStack() as stack:
        said = Announced(stack)
        stack.enter_context(watch.watched())
        taken = clocks.cost(lambda: reports.append(ingest(workspace, "notes", progress=said)))
        ended = time.perf_counter()
    return watch, said, reports[0], taken, ended


def show(watch: Inside, report: IngestReport, taken: clocks.Cost) -> None:
    """The shares, and the stages."""
    wall, cpu = taken["wall"], taken["cpu"]
    print(
        f"{report.files['added']} files, {report.embedded} texts in {wall:.1f} s: {report.embedded / wall:.1f} texts/s"
    )
    for many in (1, cores()):
        print(f"the model works on {many} or more cores: {covered(watch.spans, many) / wall:.1%} of the wall")
    print(f"the model's share of {cpu:.1f} processor seconds: {watch.cpu_seconds / cpu:.1%}")
    print("stages (reading and splitting run beside embedding): " + ", ".join(
        f"{stage.stage} {stage.seconds:.2f}" for stage in report.stages
    ))  # fmt: skip


def show_announced(said: Announced, ended: float) -> None:
    """Remaining seconds, as they were said and as they were."""
    total = said.said[-1][1]
    for mark in MARKS:
        moment, done, announced = next(entry for entry in said.said if entry[1] >= mark * total)
        shown = "none" if announced is None else f"{announced:.1f} s"
        print(f"remaining at {done / total:.0%}: said {shown}, true {ended - moment:.1f} s")


if __name__ == "__main__":
    main()
