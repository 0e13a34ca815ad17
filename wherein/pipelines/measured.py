"""What is measured of the answers of a comparison: by model and temperature, then by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from tasks.evaluation.agreement import Agreement, Repeated, agreement

if TYPE_CHECKING:
    from wherein.pipelines.comparison import Compared, QuestionComparison

SHARES = {"answered": "ok", "refused": "refused", "empty": "empty", "failed": "failed"}
"""Shares of the answers, with the status each counts."""
CITING = (
    "files_cited",
    "lowest_rank_cited",
    "evidence_used",
    "quotes_verified",
    "quotes_unverified",
    "sentences_without_citation",
)
SPENT = ("completion_tokens", "seconds_to_first_token", "seconds", "cost")
AGREEING = ("equal_text", "cited_jaccard")
MEASURES = (*SHARES, *CITING, *SPENT, *AGREEING)

Arm = tuple[str, float]
Values = dict[str, float]
"""By question, the mean over its repeats."""


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one model at one temperature, with a value for each question that has one, by measure."""

    arm: Arm
    answers: tuple[Compared, ...]
    values: dict[str, Values]
    agreements: tuple[Agreement, ...]


def cited_markers(answer: Compared) -> frozenset[int]:
    """The passages an answer rests on: those of markers whose quotation is not wrong."""
    return frozenset(citation.marker for citation in answer.citations if citation.verified is not False)


def groups(questions: Sequence[QuestionComparison]) -> list[Group]:
    found: dict[Arm, dict[str, list[Compared]]] = {}
    for number, one in enumerate(questions, 1):
        for answer in one.answers:
            arm = found.setdefault((answer.model, answer.temperature), {})
            arm.setdefault(f"{number:06}", []).append(answer)
    return [_group(arm, by_question) for arm, by_question in found.items()]


def _group(arm: Arm, by_question: Mapping[str, Sequence[Compared]]) -> Group:
    values: dict[str, Values] = {name: {} for name in MEASURES}
    agreements = []
    for question, answers in by_question.items():
        controlled = [answer for answer in answers if answer.controlled]
        agreements.append(_agreement(controlled))
        for name, value in {**_outcomes(answers), **_measured(controlled, agreements[-1])}.items():
            if value is not None:
                values[name][question] = value
    return Group(arm, tuple(a for answers in by_question.values() for a in answers), values, tuple(agreements))


def _agreement(answers: Sequence[Compared]) -> Agreement:
    """Of what was answered at all: a failed answer neither agrees nor disagrees."""
    given = (answer for answer in answers if answer.status != "failed")
    return agreement([Repeated(answer.answer, cited_markers(answer)) for answer in given])


def _outcomes(answers: Sequence[Compared]) -> dict[str, float]:
    """Of one question: the share of its repeats that ended so."""
    return {name: fmean(answer.status == status for answer in answers) for name, status in SHARES.items()}


def _measured(answers: Sequence[Compared], agreed: Agreement) -> dict[str, float | None]:
    """Of one question: each measure's mean over the repeats that have it."""
    ok = [answer for answer in answers if answer.status == "ok"]
    found: dict[str, float | None] = {}
    for name in CITING:
        found[name] = _mean([getattr(answer.metrics, name) for answer in ok if answer.metrics is not None])
    found["completion_tokens"] = _mean([answer.usage.completion_tokens for answer in ok])
    found["seconds_to_first_token"] = _mean([_less_load(answer, answer.seconds.first_token) for answer in ok])
    found["seconds"] = _mean([_less_load(answer, answer.seconds.total) for answer in ok])
    found["cost"] = _mean([answer.usage.cost for answer in ok])
    return {**found, "equal_text": agreed.equal_text, "cited_jaccard": agreed.cited_jaccard}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _less_load(answer: Compared, seconds: float | None) -> float | None:
    return None if seconds is None else max(0.0, seconds - (answer.seconds.load or 0.0))
