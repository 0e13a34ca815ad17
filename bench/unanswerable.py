"""Questions that nothing answers, made honestly, and the confidence signals that they and answerable ones give.

`python -m bench.unanswerable WORKSPACE FOLDER [--golden FILE]... [--foreign FILE]...`: WORKSPACE as
`bench.judged_workspace` makes it, indexed. Three sorts have no answer. *removed*: in a copy of the index without the
files that answer them, real questions are asked again, a part of them at a time, so that most of the corpus stays;
*foreign*: real questions of other sets; whatever the golden files call unanswerable, by its kind (*near-miss*). FOLDER
gets the copy and `signals.jsonl`: id, sort, and the signal with the reranker and without. A run that was stopped pays
for new pairs only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question
from wherein.pipelines import sources
from wherein.pipelines.evaluation.arms import Arm
from wherein.pipelines.evaluation.evaluate import Bench, EvaluateOptions
from wherein.pipelines.ingest import ingest
from wherein.workspace import Workspace

ARMS = {"rerank": Arm("with the reranker"), "vector": Arm("without", (("rerank", "off"),))}
ANSWERABLE, REMOVED, FOREIGN = "answerable", "removed", "foreign"


@dataclass(frozen=True, slots=True)
class Signals:
    """One question; a signal is minus infinity where nothing was found, None where what was found has none."""

    id: str
    sort: str
    rerank: float | None
    vector: float | None

    @classmethod
    def read(cls, path: Path) -> list[Signals]:
        return [cls(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def signals(workspace: Workspace, questions: Sequence[Question], sort: str = "") -> Iterator[Signals]:
    """By the sort given, else by what each question says of itself."""
    with sources.opened(workspace, (), []) as found:
        bench = Bench(found, questions, EvaluateOptions(Path()), lambda _arm, _done, _all: None)
        rows = [bench.measure(arm, [(arm, arm.workspace(workspace))]).rows for arm in ARMS.values()]
    for question, *two in zip(questions, *rows, strict=True):
        own = ANSWERABLE if question.answerable else question.kind
        yield Signals(question.id, sort or own, *(row.signal if row.pool else -math.inf for row in two))


def without(workspace: Workspace, parts: Sequence[Sequence[Question]]) -> Iterator[Signals]:
    """The questions of each part, asked in an index that has none of the files that answer one of them."""
    name = workspace.names()[0]
    root, excluded = workspace.path(workspace.collection(name).path), partial(json.dumps, ensure_ascii=False)
    twins = _Twins(root)
    for part in parts:
        gone = sorted({path for question in part for entry in question.relevant for path in twins.of(entry.path)})
        smaller = Workspace.find(workspace.folder, [f"collections.{name}.exclude={excluded(gone)}"])
        report = ingest(smaller, name)
        print(f"  {report.files['unchanged']} files left, {report.embedded} texts embedded", flush=True)
        asked = [replace(question, relevant=(), answerable=False) for question in part]
        yield from signals(smaller, asked, REMOVED)


class _Twins:
    """Files of the same bytes: an answer is gone only with all of them."""

    def __init__(self, root: Path) -> None:
        digests = {path: hashlib.sha256(path.read_bytes()).digest() for path in root.rglob("*") if path.is_file()}
        self._digest = {path.relative_to(root).as_posix(): digest for path, digest in digests.items()}
        self._paths: dict[bytes, list[str]] = {}
        for path, digest in sorted(self._digest.items()):
            self._paths.setdefault(digest, []).append(path)

    def of(self, path: str) -> list[str]:
        return self._paths[self._digest[path]] if path in self._digest else []


def foreigners(files: Sequence[Path], count: int) -> list[Question]:
    """So many answerable questions of other sets, as many of each."""
    chosen = []
    for file in files:
        asked = [question for question in golden_files.read(file) if question.answerable]
        share = random.Random(0).sample(asked, min(len(asked), -(-count // len(files))))
        chosen += [replace(q, id=f"{file.parent.name}/{q.id}", relevant=(), answerable=False) for q in share]
    return chosen


def own(files: Sequence[Path], limit: int) -> list[Question]:
    """The first questions that have an answer, and all others."""
    every = [replace(q, id=f"{file.stem}/{q.id}") for file in files for q in golden_files.read(file)]
    return [q for q in every if q.answerable][:limit] + [q for q in every if not q.answerable]


def copied(workspace: Path, target: Path) -> Workspace:
    """The files, settings and state of a workspace; what is there stays."""
    if not target.exists():
        target.mkdir(parents=True)
        for name in ("files", ".wherein"):
            shutil.copytree(workspace / name, target / name)
        shutil.copy2(workspace / "wherein.toml", target)
    return Workspace.find(target)


def main() -> None:
    """Collect the signals of a workspace."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--golden", type=Path, action="append", help="default: golden.jsonl of the workspace")
    parser.add_argument("--foreign", type=Path, action="append", default=[], help="golden questions of another set")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--foreigners", type=int, default=100)
    parser.add_argument("--parts", type=int, default=5)
    given = parser.parse_args()
    questions = own(given.golden or [given.workspace / "golden.jsonl"], given.questions)
    workspace = copied(given.workspace, given.folder / "copy")
    ingest(workspace, workspace.names()[0])
    found = list(signals(workspace, questions))
    found += signals(workspace, foreigners(given.foreign, given.foreigners), FOREIGN)
    having = [question for question in questions if question.answerable]
    found += without(workspace, [having[start :: given.parts] for start in range(given.parts)])
    lines = [json.dumps({name: getattr(one, name) for name in one.__slots__}) + "\n" for one in found]
    (given.folder / "signals.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
