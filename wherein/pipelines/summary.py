"""The means of a comparison by model and temperature, their intervals, and how they differ from the first's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from store.records import to_json
from tasks.evaluation.agreement import Agreement, Repeated, agreement
from tasks.evaluation.differences import BETTER, FEWEST_QUESTIONS, WORSE, Difference
from tasks.evaluation.paired import paired
from tasks.evaluation.resampling import mean_intervals

if TYPE_CHECKING:
    from wherein.pipelines.comparison import Compared, QuestionComparison

STATUSES = ("ok", "failed", "empty", "refused")
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
HIGHER_IS_BETTER = frozenset({"quotes_verified"})
LOWER_IS_BETTER = frozenset({
    "empty", "failed", "quotes_unverified", "sentences_without_citation", "seconds_to_first_token", "seconds", "cost",
})  # fmt: skip

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


def summary(questions: Sequence[QuestionComparison]) -> list[dict[str, Any]]:
    """A row for each model and temperature, in order of first appearance; the first is what others differ from.

    Repeats of a question are averaged first, then questions. An answer whose temperature or seed the model refused
    counts among the outcomes, and for nothing else.
    """
    groups = _groups(questions)
    ends = _intervals(groups)
    differing = _differences(groups)
    return [_row(group, ends[group.arm], differing[group.arm]) for group in groups]


def cited_markers(answer: Compared) -> frozenset[int]:
    """The passages an answer rests on: those of markers whose quotation is not wrong."""
    return frozenset(citation.marker for citation in answer.citations if citation.verified is not False)


def _groups(questions: Sequence[QuestionComparison]) -> list[Group]:
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


def _intervals(groups: Sequence[Group]) -> dict[Arm, dict[str, tuple[float, float]]]:
    """95 % intervals of the means; none of fewer than six questions, nor where all have the same value.

    Resampling equal values gives an interval of no width, as though nothing were uncertain.
    """
    found: dict[Arm, dict[str, tuple[float, float]]] = {group.arm: {} for group in groups}
    sizes: dict[int, dict[tuple[Arm, str], list[float]]] = {}
    for group in groups:
        for name, values in group.values.items():
            if len(values) >= FEWEST_QUESTIONS and len(set(values.values())) > 1:
                sizes.setdefault(len(values), {})[group.arm, name] = [values[key] for key in sorted(values)]
    for columns in sizes.values():
        for (arm, name), ends in _resampled(columns).items():
            found[arm][name] = ends
    return found


def _resampled(columns: Mapping[tuple[Arm, str], Sequence[float]]) -> dict[tuple[Arm, str], tuple[float, float]]:
    low, high = mean_intervals(np.asarray(list(columns.values()), dtype=np.float64).T)
    return dict(zip(columns, zip(low.tolist(), high.tolist(), strict=True), strict=True))


def _differences(groups: Sequence[Group]) -> dict[Arm, dict[str, Difference]]:
    """Each group less the first, by measure, where enough questions have a value in both."""
    found: dict[Arm, dict[str, Difference]] = {group.arm: {} for group in groups}
    if len(groups) < 2 or max(len(group.agreements) for group in groups) < FEWEST_QUESTIONS:
        return found
    names = {str(at): group for at, group in enumerate(groups[1:], 1)}
    for measure in MEASURES:
        others = {name: group.values[measure] for name, group in names.items()}
        for name, told in paired(groups[0].values[measure], others).items():
            found[names[name].arm][measure] = told
    return found


def _row(group: Group, ends: Mapping[str, tuple[float, float]], differing: Mapping[str, Difference]) -> dict[str, Any]:
    answers, values = group.answers, group.values
    costs = [answer.usage.cost for answer in answers if answer.usage.cost is not None]
    return {
        "model": group.arm[0],
        "temperature": group.arm[1],
        "answers": len(answers),
        **{status: sum(a.status == status for a in answers) for status in STATUSES},
        "uncontrolled": sum(not a.controlled for a in answers),
        "means": {name: _rounded(fmean(values[name].values())) if values[name] else None for name in MEASURES},
        "intervals": {name: _ends(ends.get(name)) for name in MEASURES},
        "questions": {name: len(values[name]) for name in MEASURES},
        "pairs": sum(one.pairs for one in group.agreements),
        "citing_pairs": sum(one.citing_pairs for one in group.agreements),
        "cost": _rounded(sum(costs)) if costs else None,
        "differences": {name: _told(name, one) for name, one in differing.items()},
    }


def _ends(ends: tuple[float, float] | None) -> dict[str, float] | None:
    return None if ends is None else {"low": _rounded(ends[0]), "high": _rounded(ends[1])}


def _told(measure: str, one: Difference) -> dict[str, Any]:
    return {**to_json(one), "verdict": word(measure, one)}


def word(measure: str, one: Difference) -> str:
    """Better or worse where a measure has a good end, else higher or lower, else that it cannot be told."""
    if one.verdict not in (BETTER, WORSE):
        return one.verdict
    higher = one.mean > 0
    if measure in HIGHER_IS_BETTER | LOWER_IS_BETTER:
        return BETTER if higher == (measure in HIGHER_IS_BETTER) else WORSE
    return "higher" if higher else "lower"


def _rounded(value: float) -> float:
    """To six significant digits: prices of one answer are small."""
    return float(f"{value:.6g}")
