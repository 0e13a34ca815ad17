"""Where answers were lost: stacked bars by arm and by kind, with every count in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wherein.pipelines.evaluation import charts
from wherein.pipelines.markup import lines, listed, quiet, safe, table

Report = Mapping[str, Any]

FOUND = "found"
STAGES = ("not indexed", "pool", "fusion", "rerank", "floor", "cap", "cut", "threshold")
MEANINGS = {
    "not indexed": "no file of the index holds it",
    "pool": "no channel brought it",
    "fusion": "a channel brought it, fusion left it out",
    "rerank": "reranked out of what is shown",
    "floor": "below the floor",
    "cap": "too many passages of its file",
    "cut": "beyond what is shown",
    "threshold": "held back as not in the files",
}


def losses(report: Report) -> str:
    """All arms, then each arm by kind with its remedies, the base first."""
    arms = [arm for arm in report["arms"] if arm.get("losses")]
    stages = [stage for stage in _known(arms) if any(arm["losses"]["stages"].get(stage) for arm in arms)]
    if not arms:
        return ""
    rows = ([safe(arm["name"]), *_stacked(_counts(arm["losses"]), stages)] for arm in arms)
    by_arm = sorted(arms, key=lambda arm: arm["name"] != report["base"])
    return lines([
        "<h2>Where answers were lost</h2>",
        _legend(stages),
        table(["arm", "", "missed"], rows, "losses"),
        *(_arm(arm, stages, opened=True) for arm in by_arm[:1]),
        _others([_arm(arm, stages, opened=False) for arm in by_arm[1:]]),
    ])  # fmt: skip


def _others(arms: list[str]) -> str:
    return f"<details>\n<summary>Other arms, by kind</summary>\n{lines(arms)}\n</details>" if arms else ""


def _known(arms: Iterable[Report]) -> list[str]:
    """Stages in the order in which they can lose an answer, unknown ones last."""
    named = {stage for arm in arms for stage in arm["losses"]["stages"]}
    return [*STAGES, *sorted(named - {*STAGES, FOUND})]


def _counts(losses: Report) -> dict[str, int]:
    return {FOUND: losses["found"], **losses["stages"]}


def _stacked(counts: Mapping[str, int], stages: list[str]) -> list[str]:
    """The bar, and how many were missed of how many."""
    shown = {stage: counts[stage] for stage in (FOUND, *stages) if counts.get(stage)}
    total = sum(shown.values())
    told = ", ".join(f"{count} {stage}" for stage, count in shown.items())
    bar = charts.stacked(shown, total, {stage: style(stage) for stage in shown}, told)
    return [bar, f"{total - shown.get(FOUND, 0)} of {total}"]


def style(stage: str) -> str:
    """The class that gives a stage its colour."""
    return f"s-{STAGES.index(stage) + 1}" if stage in STAGES else "s-found" if stage == FOUND else "s-8"


def _legend(stages: Iterable[str]) -> str:
    named = {FOUND: "among what is shown", **MEANINGS}
    items = (
        f'<li><span class="swatch {style(stage)}"></span> {safe(stage)}'
        f' <span class="quiet">{safe(named.get(stage, ""))}</span></li>'
        for stage in (FOUND, *stages)
    )
    return f'<ul class="legend">\n{lines(items)}\n</ul>'


def _arm(arm: Report, stages: list[str], *, opened: bool) -> str:
    """Counts by kind as a table, and what each remedy could win."""
    lost, told = arm["losses"], [str(one) for one in arm["losses"].get("remedies") or []]
    if not lost["missed"]:
        return quiet(f"{arm['name']}: nothing was missed.")
    kinds = sorted((lost.get("kinds") or {}).items()) if len(arm.get("kinds") or "ab") > 1 else []
    rows = [_by_kind(arm, kind, counts, stages) for kind, counts in kinds]
    rows.append(["all kinds", _stacked(_counts(lost), stages)[0], *_numbers(lost["stages"], stages)])
    return lines([
        f"<details{' open' if opened else ''}>\n<summary>{safe(arm['name'])}, by kind</summary>",
        table(["missed", "", *map(safe, stages), "in all"], rows, "losses kinds"),
        listed(told) if told else "",
        "</details>",
    ])  # fmt: skip


def _by_kind(arm: Report, kind: str, lost: Mapping[str, int], stages: list[str]) -> list[str]:
    """The bar holds what was found too, where it is known how many were asked."""
    asked = ((arm.get("kinds") or {}).get(kind) or {}).get("questions", 0)
    found = max(0, asked - sum(lost.values()))
    return [safe(kind), _stacked({FOUND: found, **lost}, stages)[0], *_numbers(lost, stages)]


def _numbers(lost: Mapping[str, int], stages: Iterable[str]) -> list[str]:
    return [*(str(lost[stage]) if lost.get(stage) else "·" for stage in stages), str(sum(lost.values()))]
