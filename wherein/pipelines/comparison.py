"""The outcome of a comparison: its JSON and its summary."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from store.records import Evidence, Hit, StageTime, to_json
from tasks.cite import CheckedCitation
from tasks.measure import AnswerMetrics
from tasks.providers.base import Seconds, Usage

MEANS = ("files_cited", "lowest_rank_cited", "evidence_used", "quotes_verified", "quotes_unverified")


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
            "summary": summary(self.answers),
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

    def to_json(self) -> dict[str, Any]:
        """One question: its object with the run's notes; several: a list of them under `questions`."""
        parts = [one.to_json() for one in self.questions]
        common = {"window": self.window, "folder": str(self.folder) if self.folder else None}
        if len(parts) == 1:
            stages = [*parts[0]["stages"], *to_json(self.stages)]
            return {**parts[0], **common, "notes": [*self.notes, *parts[0]["notes"]], "stages": stages}
        answers = [answer for one in self.questions for answer in one.answers]
        return {
            "questions": parts,
            **common,
            "summary": summary(answers),
            "notes": list(self.notes),
            "stages": to_json(self.stages),
        }


def digest(evidence: Evidence) -> str:
    """What stands for the frozen evidence: sha256 (hex) over the question and every passage, in order."""
    parts = [[hit.collection, hit.path, hit.char_start, hit.char_end, hit.text] for hit in evidence.hits]
    return hashlib.sha256(json.dumps([evidence.query, parts], ensure_ascii=False).encode()).hexdigest()


def summary(answers: Sequence[Compared]) -> list[dict[str, Any]]:
    """Means by model and temperature over answers whose temperature the model accepted."""
    groups: dict[tuple[str, float], list[Compared]] = {}
    for answer in answers:
        groups.setdefault((answer.model, answer.temperature), []).append(answer)
    return [
        {
            "model": model,
            "temperature": temperature,
            "answers": len(group),
            **{status: sum(a.status == status for a in group) for status in ("ok", "failed", "empty", "refused")},
            "uncontrolled": sum(not a.controlled for a in group),
            "means": _means([a for a in group if a.controlled and a.metrics is not None and a.status == "ok"]),
        }
        for (model, temperature), group in groups.items()
    ]


def _means(answers: Sequence[Compared]) -> dict[str, float | None]:
    """Mean of each metric, and of the seconds without loading; None where no answer has a value."""
    found: dict[str, float | None] = {}
    for name in MEANS:
        values = [v for a in answers if a.metrics is not None and (v := getattr(a.metrics, name)) is not None]
        found[name] = round(fmean(values), 4) if values else None
    times = [a.seconds.total - (a.seconds.load or 0.0) for a in answers]
    return {**found, "seconds": round(fmean(times), 3) if times else None}
