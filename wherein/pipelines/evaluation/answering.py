"""Evaluate answers: golden questions put to models and temperatures, on the same evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from store import disk
from store.records import to_json
from tasks.evaluation.answer_measures import MEASURES, measures
from tasks.evaluation.differences import Difference
from tasks.evaluation.golden import Question
from tasks.evaluation.paired import paired
from wherein.pipelines import sources
from wherein.pipelines.compare import CompareOptions, Comparison, compare
from wherein.pipelines.comparison import Compared, QuestionComparison
from wherein.pipelines.evaluation import golden_set
from wherein.pipelines.evaluation.evaluate import Progress
from wherein.pipelines.evaluation.golden_set import GoldenSet
from wherein.workspace import Workspace

REFUSED_BY_EVIDENCE = "refused by evidence"
Arm = tuple[str, float]
"""(model, temperature)."""


@dataclass(frozen=True)
class AnswerRow:
    """One answer to one golden question; `status` is that of the comparison, or that no model was asked."""

    id: str
    kind: str
    model: str
    temperature: float
    repeat: int
    status: str
    controlled: bool
    measures: dict[str, float]


@dataclass(frozen=True)
class AnswerEvaluation:
    """Rows of every arm; the first arm is the base. `folder` is that of the comparison's report."""

    golden: GoldenSet
    arms: tuple[Arm, ...]
    rows: tuple[AnswerRow, ...]
    comparison: Comparison

    @property
    def code(self) -> int:
        return self.comparison.code

    def values(self, arm: Arm, measure: str) -> dict[str, float]:
        """The mean over repeats, by question; answers without the temperature asked for are left out."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            if (row.model, row.temperature) == arm and measure in row.measures and row.controlled:
                found.setdefault(row.id, []).append(row.measures[measure])
        return {id_: fmean(values) for id_, values in found.items()}

    def to_json(self) -> dict[str, Any]:
        told = self._differences()
        return {
            "golden": self.golden.to_json(),
            "measures": list(MEASURES),
            "arms": [self._arm(arm, told.get(arm, {})) for arm in self.arms],
            "rows": to_json(self.rows),
            "folder": str(self.comparison.folder) if self.comparison.folder else None,
            "notes": list(self.comparison.notes),
        }

    def _arm(self, arm: Arm, told: Mapping[str, Difference]) -> dict[str, Any]:
        found = {measure: self.values(arm, measure) for measure in MEASURES}
        return {
            "model": arm[0],
            "temperature": arm[1],
            "questions": {measure: len(values) for measure, values in found.items()},
            "means": {measure: fmean(values.values()) if values else None for measure, values in found.items()},
            "differences": to_json(told),
        }

    def _differences(self) -> dict[Arm, dict[str, Difference]]:
        """By arm, then measure; p-values are adjusted over the arms of a measure."""
        base, *others = self.arms
        found: dict[Arm, dict[str, Difference]] = {arm: {} for arm in others}
        for measure in MEASURES:
            values = {str(place): self.values(arm, measure) for place, arm in enumerate(others)}
            for place, told in paired(self.values(base, measure), values, fewest=1).items():
                found[others[int(place)]][measure] = told
        return found


def evaluate_answers(
    workspace: Workspace,
    golden: Path,
    options: CompareOptions,
    limit: int | None = None,
    progress: Progress = lambda _arm, _done, _all: None,
) -> AnswerEvaluation:
    """One comparison over all golden questions, measured; answers.json joins its report.

    Raises WhereinError: exit 1 without an index, exit 2 for questions or models that cannot be used.
    """
    notes: list[str] = []
    with sources.opened(workspace, options.query.collections, notes) as found:
        read = golden_set.read(workspace, golden, found, limit)
    done = compare(workspace, [question.question for question in read.questions], options, progress)
    arms = _arms(workspace, options)
    rows = [
        row
        for question, one in zip(read.questions, done.questions, strict=True)
        for row in _rows(question, one, arms, options.repeat)
    ]
    evaluation = AnswerEvaluation(read, arms, tuple(rows), done)
    if done.folder is not None:
        text = json.dumps(evaluation.to_json(), ensure_ascii=False, indent=1) + "\n"
        disk.write_file(done.folder / "answers.json", [text.encode("utf-8", "replace")])
    return evaluation


def _arms(workspace: Workspace, options: CompareOptions) -> tuple[Arm, ...]:
    temperatures = options.temperatures or (workspace.settings.synthesis.temperature,)
    return tuple((name, t) for name in dict.fromkeys(options.models) for t in dict.fromkeys(temperatures))


def _rows(question: Question, one: QuestionComparison, arms: Sequence[Arm], repeats: int) -> list[AnswerRow]:
    """A row for each arm and repeat; where the evidence was too weak to ask, all of them refused."""
    answers = one.answers or [
        Compared(model, temperature, 0, repeat + 1, status=REFUSED_BY_EVIDENCE)
        for model, temperature in arms
        for repeat in range(repeats)
    ]
    return [_row(question, answer) for answer in answers]


def _row(question: Question, answer: Compared) -> AnswerRow:
    refused = answer.status in ("refused", REFUSED_BY_EVIDENCE)
    found = measures(question, answer.answer, answer.citations, refused=refused)
    if answer.status in ("failed", "empty"):  # no answer of any kind is right
        found = dict.fromkeys(found, 0.0)
    return AnswerRow(
        question.id,
        question.kind,
        answer.model,
        answer.temperature,
        answer.repeat,
        answer.status,
        answer.controlled,
        found,
    )
