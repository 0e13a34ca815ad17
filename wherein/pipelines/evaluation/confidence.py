"""How well the signal of the current settings tells questions with an answer from those without."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from store.errors import usage
from store.records import to_json
from tasks.evaluation.thresholds import Fitted, Thresholds, fit
from wherein.pipelines import calibration
from wherein.pipelines.evaluation.rows import Row
from wherein.workspace import Workspace


@dataclass(frozen=True)
class Budgets:
    """The shares of answerable questions that may be told to be weak, and not to be answered."""

    weak: float = 0.05
    none: float = 0.01


@dataclass(frozen=True)
class Confidence:
    """`model` is the digest of the model that gives the signal."""

    signal: str
    model: str
    fitted: Thresholds

    def to_json(self) -> dict[str, Any]:
        fitted = self.fitted
        return {
            "signal": self.signal,
            "model": self.model,
            "weak": fitted.weak,
            "none": fitted.none,
            "lowest_positive": fitted.lowest_positive,
            "highest_negative": fitted.highest_negative,
            "curve": [list(point) for point in fitted.curve],
            "held_out": {"weak": to_json(fitted.weak_fit.held_out), "none": to_json(fitted.none_fit.held_out)},
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        fitted = self.fitted
        plain = f"The lowest signal of a question with an answer is {_number(fitted.lowest_positive)}, the highest of"
        plain += f" one without {_number(fitted.highest_negative)}."
        return f"{plain} {_told('weak', fitted.weak_fit)} {_told('none', fitted.none_fit)}"


def confidence(rows: Sequence[Row], models: Mapping[str, str], budgets: Budgets, seed: int = 0) -> Confidence | None:
    """Fitted on the rows of one arm; None if the questions are of one sort only, or nothing gave a signal.

    `models`: digests by signal. A question that found nothing counts as minus infinity; one answered without a signal
    is left out.
    """
    names = Counter(row.signal_name for row in rows if row.signal_name)
    if not names:
        return None
    name = max(sorted(names), key=lambda name: names[name])
    positives, negatives = (_signals(rows, name, answerable) for answerable in (True, False))
    if not positives or not negatives:
        return None
    return Confidence(name, models[name], fit(positives, negatives, budgets.weak, budgets.none, seed=seed))


def apply(workspace: Workspace, found: Confidence | None, collections: Collection[str], golden: dict[str, Any]) -> str:
    """Write the thresholds beside the settings; what was written, in a clause.

    Raises WhereinError (exit 2) if there is nothing to write.
    """
    if found is None:
        raise usage(
            "No threshold can be fitted: the golden questions need some with an answer and some without.", kind="golden"
        )
    if found.fitted.weak is None and found.fitted.none is None:
        raise usage(f"No threshold can be fitted. {found.sentence}", kind="golden")
    told = found.to_json()
    entry = {
        **{key: told[key] for key in ("signal", "model", "weak", "none", "held_out")},
        "collections": sorted(collections),
        "fitted_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "golden": golden,
    }
    calibration.keep(workspace, entry)
    fits = (("weak", found.fitted.weak), ("none", found.fitted.none))
    kept = " and ".join(f"{level} {value:.2f}" for level, value in fits if value is not None)
    return f"{calibration.FILE} now holds the threshold for {kept}: searches use it from now on"


def _signals(rows: Sequence[Row], name: str, answerable: bool) -> list[float]:
    chosen = [row for row in rows if row.answerable == answerable]
    found = [row.signal for row in chosen if row.signal_name == name and row.signal is not None]
    return found + [-math.inf for row in chosen if not row.pool and row.signal is None]


def _told(level: str, fitted: Fitted) -> str:
    if fitted.threshold is None:
        return f"No threshold for {level}: {fitted.reason}."
    of = fitted.held_out
    return (
        f"Below {fitted.threshold:.2f} evidence is {level}: held out, {of.positives.count} of {of.positives.of}"
        f" answerable and {of.negatives.count} of {of.negatives.of} unanswerable questions."
    )


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
