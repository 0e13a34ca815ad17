"""The outcome of a comparison: its JSON and its summary."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from store.records import Evidence, Hit, StageTime, to_json
from tasks.cite import CheckedCitation
from tasks.evaluation.differences import FEWEST_QUESTIONS
from tasks.measure import AnswerMetrics
from tasks.providers.base import Seconds, Usage
from wherein.pipelines.summary import summary


@dataclass(frozen=True, slots=True)
class Compared:
    """One answer; `status` is ok, failed, empty or refused. `repeat` counts from 1."""

    model: str
    temperature: float
    seed: int
    repeat: int
    status: str = "ok"
    error: str | None = None
    controlled: bool = True
    answer: str = ""
    citations: tuple[CheckedCitation, ...] = ()
    unknown_markers: tuple[int, ...] = ()
    metrics: AnswerMetrics | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: Seconds = field(default_factory=Seconds)
    device: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class QuestionComparison:
    """A question, its frozen evidence, and every answer to it; `passages` are those in the prompt."""

    question: str
    evidence_digest: str
    evidence: Evidence
    passages: tuple[Hit, ...] = ()
    prompt: dict[str, Any] = field(default_factory=dict)
    answers: list[Compared] = field(default_factory=list)

    @classmethod
    def of(cls, evidence: Evidence, evidence_digest: str) -> QuestionComparison:
        return cls(evidence.query, evidence_digest, evidence, evidence.hits)

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "evidence_digest": self.evidence_digest,
            "confidence": self.evidence.confidence,
            "generations": self.evidence.generations,
            "evidence": to_json(self.passages or self.evidence.hits),
            "nearest": to_json(self.evidence.nearest),
            "prompt": self.prompt,
            "answers": to_json(self.answers),
            "summary": summary([self]),
            "notes": list(self.evidence.notes),
            "stages": to_json(self.evidence.stages),
        }


@dataclass(frozen=True)
class Comparison:
    """All questions; `folder` is where it was written."""

    questions: tuple[QuestionComparison, ...]
    notes: tuple[str, ...]
    stages: tuple[StageTime, ...]
    window: int
    code: int
    models: tuple[str, ...]
    folder: Path | None = None

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Means by model and temperature over all questions."""
        return summary(self.questions)

    @property
    def cost(self) -> float | None:
        """Of all answers whose model has a price and counted its tokens."""
        costs = [row["cost"] for row in self.summary if row["cost"] is not None]
        return round(sum(costs), 8) if costs else None

    @property
    def has_intervals(self) -> bool:
        """Whether enough questions were answered for intervals of the means."""
        return sum(bool(one.answers) for one in self.questions) >= FEWEST_QUESTIONS

    @property
    def intervals(self) -> str:
        """What the intervals of the means are, or why there are none."""
        asked = sum(bool(one.answers) for one in self.questions)
        told = f"of at least {FEWEST_QUESTIONS} questions: too few for intervals of the means"
        return "95 %, over questions" if self.has_intervals else f"{asked} {told}"

    def to_json(self) -> dict[str, Any]:
        """One question: its object with the run's notes; several: a list of them under `questions`."""
        parts = [one.to_json() for one in self.questions]
        folder = str(self.folder) if self.folder else None
        common = {"window": self.window, "folder": folder, "cost": self.cost, "intervals": self.intervals}
        if len(parts) == 1:
            stages = [*parts[0]["stages"], *to_json(self.stages)]
            return {**parts[0], **common, "notes": [*self.notes, *parts[0]["notes"]], "stages": stages}
        return {
            "questions": parts,
            **common,
            "summary": self.summary,
            "notes": list(self.notes),
            "stages": to_json(self.stages),
        }


def digest(evidence: Evidence) -> str:
    """What stands for the frozen evidence: sha256 (hex) over the question and every passage, in order."""
    parts = [[hit.collection, hit.path, hit.char_start, hit.char_end, hit.text] for hit in evidence.hits]
    return hashlib.sha256(json.dumps([evidence.query, parts], ensure_ascii=False).encode()).hexdigest()
