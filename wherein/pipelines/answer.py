"""The outcome of asking; the JSON of `ask`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.errors import FAILED, NOT_FOUND, PARTIAL
from store.records import Evidence, Hit, StageTime, to_json
from tasks.cite import CheckedCitation, Source
from tasks.providers.base import Seconds, Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """`evidence` are the passages in the order of the markers; `nearest` those shown when there is no evidence.

    `failure`: why no model answered, in one sentence. `messages`: the exact prompt, of a dry run only.
    `typed`: what was typed, where `question` was made of it and of what had been said before.
    `flags`: what else it was asked with, so that it can be asked again.
    """

    question: str
    answer: str
    refused: bool
    refused_by: str | None
    confidence: str
    citations: tuple[CheckedCitation, ...]
    unknown_markers: tuple[int, ...]
    evidence: tuple[Hit, ...]
    nearest: tuple[Hit, ...]
    model: str
    temperature: float
    seed: int
    controlled: bool
    prompt: dict[str, Any]
    context: dict[str, int]
    usage: Usage
    seconds: Seconds
    generations: dict[str, int]
    notes: tuple[str, ...]
    stages: tuple[StageTime, ...]
    id: str | None = None
    contributed: tuple[Source, ...] = ()
    also_read: tuple[Source, ...] = ()
    uncited_quotes: tuple[str, ...] = ()
    device: str | None = None
    failure: str | None = None
    failure_kind: str | None = None
    partial: bool = False
    index_age_seconds: float | None = None
    messages: tuple[dict[str, str], ...] = ()
    typed: str | None = None
    flags: dict[str, Any] | None = None

    @property
    def code(self) -> int:
        """The exit code: refused 4, unanswered or not reranked 3, else 0."""
        if self.refused:
            return NOT_FOUND
        if self.failure is not None:
            return PARTIAL if self.evidence else FAILED
        return PARTIAL if self.partial else 0

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = to_json(self)
        if self.failure is not None:
            found["notes"].append(self.failure)
        return found


def starting(evidence: Evidence, question: str, model: str, temperature: float, seed: int) -> dict[str, Any]:
    """The fields of an Answer that the evidence alone decides, before any model was asked."""
    return {
        "question": question,
        "answer": "",
        "refused": False,
        "refused_by": None,
        "confidence": evidence.confidence,
        "citations": (),
        "unknown_markers": (),
        "evidence": evidence.hits,
        "nearest": evidence.nearest,
        "model": model,
        "temperature": temperature,
        "seed": seed,
        "controlled": True,
        "prompt": {"name": None, "sha256": None, "tokens": 0},
        "context": {"window": 0, "sent": 0, "dropped": 0},
        "usage": Usage(),
        "seconds": Seconds(),
        "generations": evidence.generations,
        "notes": evidence.notes,
        "stages": evidence.stages,
        "partial": evidence.partial,
        "index_age_seconds": evidence.index_age_seconds,
    }
