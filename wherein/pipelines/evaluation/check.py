"""Whether what golden questions name is still in the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from store.errors import PARTIAL
from store.records import to_json
from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question, repeated
from tasks.evaluation.golden_resolve import Unresolved, resolve
from tasks.evaluation.making.corpus import Corpus, SourceText
from tasks.evaluation.making.kinds import one_sided
from wherein.pipelines.evaluation import corpus as texts
from wherein.pipelines.evaluation.units import holds
from wherein.workspace import Workspace


@dataclass(frozen=True)
class Checked:
    """`gone` names paths and quotations that no indexed file has."""

    file: Path
    questions: tuple[Question, ...]
    gone: tuple[Unresolved, ...]

    @property
    def code(self) -> int:
        return PARTIAL if self.gone else 0

    @cached_property
    def kinds(self) -> dict[str, int]:
        names = [question.kind or "other" for question in self.questions]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    @property
    def notes(self) -> list[str]:
        return [*repeated(self.questions), *one_sided(self.questions)]

    def to_json(self) -> dict[str, Any]:
        answerable = sum(question.answerable for question in self.questions)
        return {
            "file": str(self.file), "questions": len(self.questions), "answerable": answerable, "kinds": self.kinds,
            "gone": to_json(self.gone), "notes": self.notes,
        }  # fmt: skip


def check(workspace: Workspace, file: Path, chosen: Sequence[str] = ()) -> Checked:
    """Look every path and quotation up; raises WhereinError (exit 1) without an index, (exit 2) for a wrong file."""
    given = golden_files.read(file)
    found = texts.corpus(workspace, chosen)
    resolved, gone = resolved_in(workspace, found, given)
    return Checked(file, tuple(resolved), (*gone, *_missing_quotes(found, resolved)))


def resolved_in(
    workspace: Workspace, found: Corpus, given: Sequence[Question]
) -> tuple[list[Question], list[Unresolved]]:
    """The questions with the files they name, and what was not found."""
    paths: dict[str, list[str]] = {}
    for file in found.files:
        paths.setdefault(file.collection, []).append(file.path)
    roots = {name: workspace.path(workspace.settings.collections[name].path).as_posix() for name in paths}
    return resolve(given, paths, roots)


def _missing_quotes(found: Corpus, questions: Sequence[Question]) -> Iterator[Unresolved]:
    by_place = {(file.collection, file.path): file for file in found.files}
    for question in questions:
        for entry in question.relevant:
            file = by_place.get((entry.collection or "", entry.path))
            if file is not None and entry.quote is not None and not _quoted(file, entry.quote):
                yield Unresolved(question.id, entry.path, f"no longer holds {entry.quote!r}")


def _quoted(file: SourceText, quote: str) -> bool:
    return any(holds(file.text[start:end], quote) for start, end in file.passages)
