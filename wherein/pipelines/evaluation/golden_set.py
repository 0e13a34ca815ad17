"""Golden questions, with the files they name found among those that are indexed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import usage
from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question
from tasks.evaluation.golden_resolve import Unresolved, resolve
from wherein.pipelines.work import Opened
from wherein.workspace import Workspace


@dataclass(frozen=True)
class GoldenSet:
    """Questions as they are asked; `unresolved` are the paths that no indexed file has."""

    file: Path
    questions: tuple[Question, ...]
    unresolved: tuple[Unresolved, ...]
    digest: str

    def to_json(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "questions": len(self.questions),
            "answerable": sum(question.answerable for question in self.questions),
            "kinds": self.kinds,
            "digest": self.digest,
        }

    @property
    def kinds(self) -> dict[str, int]:
        return dict(sorted(Counter(question.kind or "other" for question in self.questions).items()))


def read(workspace: Workspace, file: Path, found: Opened, limit: int | None = None) -> GoldenSet:
    """Raises WhereinError (exit 2) if there is no question, or none whose answer is indexed."""
    given = golden_files.read(file)
    questions = given[:limit] if limit else given
    paths = {name: [path for _, path, _, _ in snapshot.places()] for name, snapshot in found}
    roots = {name: workspace.path(workspace.settings.collections[name].path).as_posix() for name in paths}
    resolved, unresolved = resolve(questions, paths, roots)
    if not any(question.answerable for question in resolved):
        raise usage(
            f"{file} holds no question that the files answer, so nothing can be measured: add some, or let"
            " `wherein golden make` make some.",
            kind="golden",
        )
    if all(entry.collection is None for question in resolved for entry in question.relevant):
        raise usage(
            f"No file that {file} names is indexed here: run `wherein golden check {file}` to see which it names.",
            kind="golden",
        )
    return GoldenSet(file, tuple(resolved), tuple(unresolved), _digest(questions))


def digest(file: Path, limit: int | None = None) -> str:
    """What tells the first so many questions of a file from others."""
    return _digest(golden_files.read(file)[:limit])


def _digest(questions: Sequence[Question]) -> str:
    return hashlib.sha256(b"\n".join(golden_files.line(question) for question in questions)).hexdigest()[:16]
