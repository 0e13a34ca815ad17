"""Whether an evaluation is worse than the last one of the same questions, beyond what chance explains."""

from __future__ import annotations

from pathlib import Path

from store.errors import WhereinError, usage
from tasks.evaluation.differences import WORSE, Difference, differences
from wherein.pipelines.evaluation.history import Document, History, Values, by_question, previous

JUDGED = ("nDCG", "R@", "RR@")
"""How the names of the measures begin that tell better from worse."""


def gate(report: Document, history: History) -> list[str]:
    """A sentence for each measure of the base arm that is worse now, over the same questions; empty if none is.

    `report` holds its `rows`; `history` holds what came before it. Evaluations that were regressions are passed over,
    so that one does not become the measure of the next; p-values are adjusted over the measures. Raises WhereinError
    (exit 2) where there is nothing to judge by.
    """
    golden = report["golden"]
    before = earlier(history, golden["file"], golden["digest"], report["base"])
    told = _compared(report, history, before)
    return [_sentence(name, one, before) for name, one in told.items() if one.verdict == WORSE]


def earlier(history: History, golden: Path | str, digest: str, arm: str) -> Document:
    """The evaluation to judge one of these questions by; raises WhereinError (exit 2) if there is none."""
    before = previous(history.entries, digest, arm)
    if before is None:
        raise _nothing(golden, "there is no earlier evaluation of these questions")
    return before


def _compared(report: Document, history: History, before: Document) -> dict[str, Difference]:
    arm, changes, asked = report["base"], {}, set[str]()
    for measure in (name for name in report["measures"] if name.startswith(JUDGED)):
        then, now = history.values(before, arm, measure), by_question(report["rows"], arm, measure)
        if then and now:
            asked = _same(report, before, then, now)
            changes[measure] = [now[id_] - then[id_] for id_ in sorted(asked)]
    if not changes:
        raise _nothing(
            report["golden"]["file"], f"the rows of the evaluation of {before['created_at']} are gone or written over"
        )
    return differences([0.0] * len(asked), changes)


def _same(report: Document, before: Document, then: Values, now: Values) -> set[str]:
    if then.keys() != now.keys():
        raise _nothing(
            report["golden"]["file"], f"the rows of the evaluation of {before['created_at']} are of other questions"
        )
    return set(now)


def _rows_of(before: Document) -> str:
    return f"the rows of the evaluation of {before['created_at']}"


def _nothing(golden: Path | str, why: str) -> WhereinError:
    return usage(
        f"--gate cannot judge {golden}: {why}; evaluate once without --gate, and compare with that.",
        "gate",
    )


def _sentence(measure: str, one: Difference, before: Document) -> str:
    interval = f"95 % interval {one.low:+.3f} to {one.high:+.3f}"
    when = before["created_at"]
    return f"{measure} changed by {one.mean:+.3f} ({interval}) over {one.questions} questions since {when}"
