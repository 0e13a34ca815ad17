"""The tables of arms: means with intervals, differences with verdicts, kinds of questions, settings, seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.differences import BETTER, CANNOT_TELL, WORSE
from wherein.pipelines.evaluation import charts
from wherein.pipelines.evaluation.charts import Scale
from wherein.pipelines.evaluation.rows import MEANINGS
from wherein.pipelines.markup import lines, quiet, safe, table

Report = Mapping[str, Any]
NOTHING = "–"
STAGES = ("vector", "keyword", "date", "fuse", "rerank", "select")
"""Stages of a search in their order, for the columns of latency; others follow."""


def number(value: float | None, measure: str = "") -> str:
    """Shares to three places, counts to one."""
    if value is None:
        return NOTHING
    return f"{value:.1f}" if measure == "sources" else f"{value:.3f}"


def signed(value: float, measure: str = "") -> str:
    text = number(abs(value), measure)
    return text if float(text) == 0 else f"{'+' if value > 0 else '−'}{text}"


def in_short(report: Report) -> str:
    """The words of the main measure, and what so few questions could show."""
    measure = report["measures"][0]
    told = {arm["name"]: arm["differences"][measure] for arm in report["arms"] if measure in _differences(arm)}
    if not told:
        return ""
    words = [(BETTER, "Better"), (WORSE, "Worse"), (CANNOT_TELL, "Cannot tell")]
    said = [(label, [name for name, one in told.items() if one["verdict"] == word]) for word, label in words]
    return lines([
        '<div class="said">',
        *(f"<p><b>{label}</b>: {' '.join(map(_chip, names))}</p>" for label, names in said if names),
        quiet(f"In {measure} against {report['base']}. {reach(list(told.values()), measure)}"),
        "</div>",
    ])  # fmt: skip


def _chip(name: str) -> str:
    return f'<span class="chip">{safe(name)}</span>'


def reach(told: Sequence[Report], measure: str) -> str:
    """What a set of this size can show at all."""
    least = [one["smallest"] for one in told if one["smallest"] > 0]
    if not least:
        return "The arms gave the same on every question."
    low, high = number(min(least), measure), number(max(least), measure)
    size = low if low == high else f"{low} to {high}, depending on the arm"
    return f"{told[0]['questions']} questions can only show differences of at least {size}."


def _differences(arm: Report) -> Report:
    found: Report = arm.get("differences") or {}
    return found


def means(report: Report) -> str:
    """A row for each arm, a column for each measure; the base's mean is marked in each bar."""
    measures = report["measures"]
    scales = {measure: _scale(report, measure) for measure in measures}
    base = next(arm for arm in report["arms"] if arm["name"] == report["base"])
    head = ["arm", *(f'{safe(m)} <span class="unit">{_ends(scales[m])}</span>' for m in measures)]
    rows = [
        [_name(arm, report["base"]), *(_mean(arm, m, scales[m], base["means"].get(m)) for m in measures)]
        for arm in report["arms"]
    ]
    told = "Means over the answerable questions, with 95 % intervals. The dashed line is the mean of the base."
    meant = "; ".join(f"{measure}: {MEANINGS[measure]}" for measure in measures if measure in MEANINGS)
    shown = [table(head, rows, "means"), quiet(told), quiet(f"{meant}.") if meant else "", _settings(report["arms"])]
    return lines(["<h2>Arms</h2>", *shown])


def _scale(report: Report, measure: str) -> Scale:
    """From the least to the greatest end of an interval, on round values: dots need no 0."""
    means = [arm["means"].get(measure) or 0.0 for arm in report["arms"]]
    ends = [end for arm in report["arms"] for end in (arm.get("intervals") or {}).get(measure, ())]
    least, greatest = min([*means, *ends]), max([*means, *ends])
    step = 0.1 if greatest <= 1 else 1.0
    high = step * math.ceil(greatest / step)
    return Scale(min(step * math.floor(least / step), high - step), high)


def _ends(scale: Scale) -> str:
    return f"{scale.low:.3g}–{scale.high:.3g}"


def _name(arm: Report, base: str) -> str:
    return safe(arm["name"]) + (' <span class="unit">(base)</span>' if arm["name"] == base else "")


def _mean(arm: Report, measure: str, scale: Scale, mark: float | None) -> str:
    mean, ends = arm["means"].get(measure), (arm.get("intervals") or {}).get(measure)
    if mean is None:
        return NOTHING
    between = f", 95 % interval {number(ends[0], measure)} to {number(ends[1], measure)}" if ends else ""
    told = f"{number(mean, measure)}{between}"
    return number(mean, measure) + charts.interval(mean, tuple(ends) if ends else None, scale, mark, told)


def _settings(arms: Sequence[Report]) -> str:
    if not any(arm.get("settings") for arm in arms):
        return ""
    rows = ([safe(arm["name"]), _values(arm.get("settings") or {})] for arm in arms)
    return f"<details>\n<summary>Settings of the arms</summary>\n{table(['arm', 'settings'], rows)}\n</details>"


def _values(settings: Report) -> str:
    return safe(", ".join(f"{key} = {value}" for key, value in settings.items()) or "as they are")


def differences(report: Report) -> str:
    """A table for each measure, that of the first one open."""
    tables = [_compared(report, measure) for measure in report["measures"]]
    if not any(tables):
        return ""
    told = (
        "Each arm less the base, question by question: mean, 95 % bootstrap interval, p of the randomisation test"
        " (by Holm over the arms), and the least difference that so many questions could show, which is shaded."
    )
    others = lines(tables[1:])
    more = f"<details>\n<summary>Other measures</summary>\n{others}\n</details>" if others else ""
    return lines([f"<h2>Differences from {safe(report['base'])}</h2>", quiet(told), tables[0], more])


def _compared(report: Report, measure: str) -> str:
    told = {arm["name"]: _differences(arm)[measure] for arm in report["arms"] if measure in _differences(arm)}
    if not told:
        return ""
    widest = max(max(abs(one["low"]), abs(one["high"]), one["smallest"]) for one in told.values()) or 1.0
    scale = Scale(-widest, widest)
    head = ["arm", f'<span class="unit">−{widest:.2g} … +{widest:.2g}</span>', "verdict"]
    rows = ([safe(name), *_difference(one, measure, scale)] for name, one in told.items())
    shown = table([*head, "mean", "from", "to", "p (Holm)", "least shown"], rows, "differences")
    return lines([f"<h3>{safe(measure)}</h3>", shown, quiet(reach(list(told.values()), measure))])


def _difference(one: Report, measure: str, scale: Scale) -> list[str]:
    ends, verdict = (one["low"], one["high"]), one["verdict"]
    numbers = [signed(value, measure) for value in (one["mean"], *ends)]
    told = f"{numbers[0]}, 95 % interval {numbers[1]} to {numbers[2]}: {verdict}"
    kind = verdict.split()[0]
    return [
        charts.difference(one["mean"], ends, one["smallest"], scale, kind, told),
        f'<span class="verdict {kind}">{safe(verdict)}</span>',
        *numbers,
        f"{one['p_holm']:.3f}" if one["p_holm"] >= 0.001 else "&lt; 0.001",
        number(one["smallest"] or None, measure),
    ]


def kinds(report: Report) -> str:
    """A row for each arm, a column for each kind of question."""
    measure, arms = report["measures"][0], report["arms"]
    counts = {kind: of["questions"] for arm in arms for kind, of in (arm.get("kinds") or {}).items()}
    if len(counts) < 2:
        return ""
    names = sorted(counts)
    rows = (
        [safe(arm["name"]), *(number((arm.get("kinds") or {}).get(kind, {}).get(measure), measure) for kind in names)]
        for arm in arms
    )
    head = ["arm", *(f'{safe(kind)} <span class="unit">{counts[kind]}</span>' for kind in names)]
    told = (
        f"Mean {measure}, and the number of questions of each kind. Questions made from rare words favour the keyword"
        " arm: weigh the kinds by what you ask."
    )
    return lines(["<h2>By kind of question</h2>", table(head, rows), quiet(told)])


def latency(report: Report) -> str:
    """Median and 95th percentile of each stage."""
    arms = [arm for arm in report["arms"] if arm.get("latency")]
    named = dict.fromkeys(stage for arm in arms for stage in arm["latency"] if stage != "total")
    stages = [*(stage for stage in STAGES if stage in named), *(stage for stage in named if stage not in STAGES)]
    totals = [arm["latency"].get("total", {}).get("median") or 0.0 for arm in arms]
    if not arms:
        return ""
    rows = (
        [safe(arm["name"]), _seconds(arm["latency"].get("total")), charts.share(total, max(totals), f"{total:.3g} s")]
        + [_seconds(arm["latency"].get(stage)) for stage in stages]
        for arm, total in zip(arms, totals, strict=True)
    )
    told = "Milliseconds of a question in each stage: median, and in brackets the 95th percentile."
    return lines(["<h2>Latency</h2>", table(["arm", "total", "", *map(safe, stages)], rows), quiet(told)])


def _seconds(one: Report | None) -> str:
    return NOTHING if not one else f"{_milliseconds(one['median'])} ({_milliseconds(one['p95'])})"


def _milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
