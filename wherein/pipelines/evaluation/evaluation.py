"""The outcome of an evaluation: rows first, then means, intervals and honest differences."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from store.errors import GATE
from store.records import StageTime, to_json
from tasks.evaluation.differences import Difference, differences, intervals
from tasks.evaluation.golden import repeated
from wherein.pipelines.evaluation.arms import Arm
from wherein.pipelines.evaluation.confidence import Confidence
from wherein.pipelines.evaluation.golden_set import GoldenSet
from wherein.pipelines.evaluation.losses import losses
from wherein.pipelines.evaluation.rows import MEASURES, TARGET, Row

SATURATED = 0.98


@dataclass(frozen=True)
class Evaluated:
    """An arm with a row for each question; `weight` is what a fitted weight came to."""

    arm: Arm
    rows: tuple[Row, ...]
    weight: str | None = None

    @property
    def answerable(self) -> list[Row]:
        return [row for row in self.rows if row.answerable]

    def values(self, measure: str) -> list[float]:
        return [row.measures[measure] for row in self.answerable]

    def mean(self, measure: str) -> float:
        return statistics.fmean(self.values(measure)) if self.answerable else 0.0


@dataclass(frozen=True)
class Index:
    """What was searched; `models` are the digests of those that give a confidence signal."""

    generations: dict[str, int]
    chunks: int
    models: dict[str, str]


@dataclass(frozen=True)
class Evaluation:
    """The first arm is the base that the others are compared with."""

    golden: GoldenSet
    measured: tuple[Evaluated, ...]
    index: Index
    started: float
    seconds: float
    notes: tuple[str, ...]
    stages: tuple[StageTime, ...]
    confidence: Confidence | None
    folder: Path | None = None
    regressions: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """6 for a regression that a gate was to stop, else 0."""
        return GATE if self.regressions else 0

    @property
    def base(self) -> Evaluated:
        return self.measured[0]

    @cached_property
    def differences(self) -> dict[str, dict[str, Difference]]:
        """By measure, then by arm; the base has none."""
        return {
            m: differences(self.base.values(m), {a.arm.name: a.values(m) for a in self.measured[1:]}) for m in MEASURES
        }

    @cached_property
    def intervals(self) -> dict[str, dict[str, tuple[float, float]]]:
        """95 % intervals of the means, by measure, then by arm."""
        return {m: intervals({one.arm.name: one.values(m) for one in self.measured}) for m in MEASURES}

    @property
    def cannot_rank(self) -> str:
        """Why the set tells nothing about settings, or nothing."""
        least = min(one.mean(TARGET) for one in self.measured)
        if least < SATURATED:
            return ""
        return (
            f"Every arm has {TARGET} of at least {SATURATED}: these questions cannot rank settings."
            " Harder ones are needed: paraphrases, and answers that share no rare word with their question."
        )

    @cached_property
    def said(self) -> tuple[str, ...]:
        """Notes of the run, and what a reader should know of the set."""
        missing = len({problem.path for problem in self.golden.unresolved})
        told = "1 path of the golden set is" if missing == 1 else f"{missing} paths of the golden set are"
        gone = [f"{told} not indexed: see `wherein golden check`"] if missing else []
        return (*self.notes, *gone, *repeated(self.golden.questions), *([self.cannot_rank] if self.cannot_rank else []))

    def to_json(self) -> dict[str, Any]:
        return {
            "golden": self.golden.to_json(),
            "generations": self.index.generations,
            "chunks": self.index.chunks,
            "created_at": datetime.fromtimestamp(self.started, UTC).isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "base": self.base.arm.name,
            "measures": list(MEASURES),
            "arms": [self._arm(one) for one in self.measured],
            "cannot_rank": self.cannot_rank,
            "confidence": None if self.confidence is None else self.confidence.to_json(),
            "regressions": list(self.regressions),
            "notes": list(self.said),
            "stages": to_json(self.stages),
            "folder": None if self.folder is None else str(self.folder),
        }

    def _arm(self, one: Evaluated) -> dict[str, Any]:
        compared = {m: by_arm[one.arm.name] for m, by_arm in self.differences.items() if one.arm.name in by_arm}
        return {
            "name": one.arm.name,
            "settings": {
                **dict(one.arm.settings),
                **({"rerank.weight": f"fitted ({one.weight})"} if one.weight else {}),
            },
            "means": {measure: one.mean(measure) for measure in MEASURES},
            "intervals": {measure: list(by_arm[one.arm.name]) for measure, by_arm in self.intervals.items()},
            "kinds": _kinds(one.answerable),
            "differences": to_json(compared),
            "latency": _latency(one.rows),
            "losses": losses(one.rows),
        }


def _kinds(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.kind or "other", []).append(row)
    return {
        kind: {"questions": len(of), **{m: statistics.fmean(row.measures[m] for row in of) for m in MEASURES}}
        for kind, of in sorted(kinds.items())
    }


def _latency(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Seconds by stage and in total, as if each question had been asked alone in this arm."""
    stages: dict[str, list[float]] = {"total": [sum(each.seconds for each in row.stages) for row in rows]}
    for row in rows:
        for each in row.stages:
            stages.setdefault(each.stage, []).append(each.seconds)
    return {name: {"median": statistics.median(s), "p95": _p95(s)} for name, s in stages.items() if s}


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]
