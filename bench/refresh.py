"""wherein beside stock LlamaIndex on one folder of notes, as whole processes, in one go.

    python -m bench.refresh FOLDER [--runs 5] [--build-runs 1] [--only build unchanged edited first later]
                            [--sides stock ours same] [--stock-store DIR]

FOLDER holds notes (.md, .txt), or a `files.tar.gz` of them; it is copied, never written. `ours` runs the bundled
bge-small-en-v1.5 (int8), `stock` all-MiniLM-L6-v2 (fp32), `same` is ours with stock's model. Steps of all sides
take turns; a row shows the median. A first search is a process of its own; later ones are those after the first
of one process. No reranker, no LLM. With --stock-store, stock's store is kept there with its copy of the files,
and used again by a later run, which then does not build it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench import folders
from bench.processes import Run, interleaved, module, whole
from bench.rows import STEPS, Row, show
from bench.sides import Ours, Side, Stock, minilm

HEAVY = ("numpy", "llama_index", "prefect", "torch", "onnxruntime", "pydantic_settings", "openai", "httpx")
BUNDLED = "bundled/bge-small-en-v1.5"


@dataclass
class Comparison:
    """The sides on one copy of the folder, and what has been measured so far."""

    sides: list[Side]
    files: Path
    questions: list[str]
    rows: list[Row] = field(default_factory=list)

    def measure(self, step: str, runs: int) -> None:
        """Run a step on every side in turn, `runs` times."""
        say(f"{STEPS[step]}: {runs} run{'s' if runs > 1 else ''} a side")
        if step == "later":
            self._later(runs)
        elif step == "edited":
            self._edited(runs)
        else:
            self._keep(step, interleaved(self._steps(step), runs))

    def _steps(self, step: str) -> dict[str, Callable[[], Run]]:
        if step == "first":
            asked = {side.name: iter(self.questions * 10) for side in self.sides}
            return {side.name: lambda side=side: side.search(next(asked[side.name])) for side in self.sides}  # type: ignore[misc]
        return {side.name: getattr(side, step) for side in self.sides}

    def _edited(self, runs: int) -> None:
        found: dict[str, list[Run]] = {side.name: [] for side in self.sides}
        with folders.editable(self.files) as edits:
            for _ in range(runs):
                edits.next()
                for side in self.sides:
                    found[side.name].append(side.edited())
        self._keep("edited", found)

    def _later(self, runs: int) -> None:
        seconds: dict[str, list[float]] = {side.name: [] for side in self.sides}
        for _ in range(runs):
            for side in self.sides:
                seconds[side.name] += side.searches(self.questions)
        self.rows += [Row("later", side, seconds[side.name]) for side in self.sides]

    def _keep(self, step: str, found: dict[str, list[Run]]) -> None:
        self.rows += [Row.of(step, side, found[side.name]) for side in self.sides]


def main() -> None:
    """Measure and print."""
    given = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-refresh-") as temporary, _set_up(given, Path(temporary)) as run:
        steps = [step for step in STEPS if step in given.only]
        built = _build(run, given.build_runs if "build" in steps else 1)
        run.rows = built if "build" in steps else []
        for step in steps[1:] if "build" in steps else steps:
            run.measure(step, given.runs)
        report(run)
        for side in run.sides:
            if isinstance(side, Ours):
                print(f"{side.name}, nothing changed, loads {', '.join(loaded(side)) or 'none'} of {', '.join(HEAVY)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--build-runs", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--sides", nargs="+", choices=["stock", "ours", "same"], default=["stock", "ours", "same"])
    parser.add_argument("--stock-store", type=Path)
    parser.add_argument("--questions", type=int, default=20)
    return parser


@contextmanager
def _set_up(given: argparse.Namespace, temporary: Path) -> Iterator[Comparison]:
    kept: Path = (given.stock_store or temporary / "stock").resolve()
    files, store = kept / "files", kept / "store"
    if not files.exists():
        kept.mkdir(parents=True, exist_ok=True)
        folders.copy(given.folder, files)
    sides: list[Side] = []
    if "stock" in given.sides:
        sides.append(Stock(minilm(), store, files))
    if "ours" in given.sides:
        sides.append(Ours("ours", BUNDLED, temporary / "ours", files))
    if "same" in given.sides:
        sides.append(Ours("same", str(minilm()), temporary / "same", files))
    yield Comparison(sides, files, folders.questions(given.folder, files, given.questions))


def _build(run: Comparison, runs: int) -> list[Row]:
    """Build every side; a stock store that is there already is taken as it is. Later steps use a copy of it."""
    everyone = run.sides
    run.sides = [side for side in everyone if not (isinstance(side, Stock) and side.store.exists())]
    run.measure("build", runs)
    run.sides = everyone
    for side in everyone:
        if isinstance(side, Stock):
            copied = run.files.parent / "working"
            shutil.rmtree(copied, ignore_errors=True)
            shutil.copytree(side.store, copied)
            side.store = copied
    return run.rows


def loaded(side: Ours) -> list[str]:
    """Which of the heavy packages a refresh imports when nothing has changed."""
    command = module("wherein", "ingest", "--json")
    whole(command, cwd=side.workspace, codes=(0, 3))  # the edits of another step have just been taken back
    run = whole([command[0], "-X", "importtime", *command[1:]], cwd=side.workspace, codes=(0, 3))
    names = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")}
    return [name for name in HEAVY if name in names]


def report(run: Comparison) -> None:
    """What was compared, then the rows."""
    print(f"{len(folders.notes(run.files))} files")
    for side in run.sides:
        print(f"{side.name}: model {side.model}, {side.chunks or '?'} chunks")
    print()
    show(run.rows)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
