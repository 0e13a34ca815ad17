"""The means of a comparison by model and temperature, their intervals, and how they differ from the first's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from store.records import to_json
from tasks.evaluation.differences import BETTER, FEWEST_QUESTIONS, WORSE, Difference
from tasks.evaluation.paired import paired
from tasks.evaluation.resampling import mean_intervals
from wherein.pipelines.measured import MEASURES, Arm, Group, groups

if TYPE_CHECKING:
    from wherein.pipelines.comparison import QuestionComparison

STATUSES = ("ok", "failed", "empty", "refused")
HIGHER_IS_BETTER = frozenset({"quotes_verified"})
LOWER_IS_BETTER = frozenset({
    "empty", "failed", "quotes_unverified", "sentences_without_citation", "seconds_to_first_token", "seconds", "cost",
})  # fmt: skip


def summary(questions: Sequence[QuestionComparison]) -> list[dict[str, Any]]:
    """A row for each model and temperature, in order of first appearance; the first is what others differ from.

    Repeats of a question are averaged first, then questions. An answer whose temperature or seed the model refused
    counts among the outcomes, and for nothing else.
    """
    found = groups(questions)
    ends, differing = _intervals(found), _differences(found)
    return [_row(group, ends[group.arm], differing[group.arm]) for group in found]


def _intervals(all_groups: Sequence[Group]) -> dict[Arm, dict[str, tuple[float, float]]]:
    """95 % intervals of the means; none of fewer than six questions, nor where all have the same value.

    Resampling equal values gives an interval of no width, as though nothing were uncertain.
    """
    found: dict[Arm, dict[str, tuple[float, float]]] = {group.arm: {} for group in all_groups}
    sizes: dict[int, dict[tuple[Arm, str], list[float]]] = {}
    for group in all_groups:
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


def _differences(all_groups: Sequence[Group]) -> dict[Arm, dict[str, Difference]]:
    """Each group less the first, by measure, where enough questions have a value in both."""
    found: dict[Arm, dict[str, Difference]] = {group.arm: {} for group in all_groups}
    if len(all_groups) < 2 or max(len(group.agreements) for group in all_groups) < FEWEST_QUESTIONS:
        return found
    names = {str(at): group for at, group in enumerate(all_groups[1:], 1)}
    for measure in MEASURES:
        others = {name: group.values[measure] for name, group in names.items()}
        for name, told in paired(all_groups[0].values[measure], others).items():
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
    figures = {name: _rounded(value) for name, value in to_json(one).items() if isinstance(value, float)}
    return {**to_json(one), **figures, "verdict": word(measure, one)}


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
