"""Thresholds of confidence: the curves, the thresholds, and what held out questions say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wherein.pipelines.evaluation import charts
from wherein.pipelines.markup import lines, quiet, safe, table

Report = Mapping[str, Any]

_LEGEND = """<ul class="legend">
<li><span class="line negatives"></span> unanswerable questions below the threshold (the more the better)</li>
<li><span class="line positives"></span> answerable questions below it (the fewer the better)</li>
</ul>"""


def confidence(report: Report) -> str:
    """Nothing where no thresholds were fitted."""
    found = report.get("confidence")
    if not found:
        return ""
    marks = {name: found[name] for name in ("none", "weak") if found.get(name) is not None}
    curves = {
        "positives": [(at, positives) for at, positives, _ in found["curve"]],
        "negatives": [(at, negatives) for at, _, negatives in found["curve"]],
    }
    drawn = charts.steps(curves, marks, f"{found['signal']} signal", found.get("sentence") or "Confidence curves")
    return lines([
        "<h2>Confidence</h2>",
        f"<p>{safe(found['sentence'])}</p>" if found.get("sentence") else "",
        f'{_LEGEND}\n<div class="scroll">{drawn}</div>' if found["curve"] else "",
        quiet(_ends(found)),
        _held_out({name: one for name, one in (found.get("held_out") or {}).items() if name in marks}),
    ])  # fmt: skip


def _ends(found: Report) -> str:
    names = (("lowest_positive", "lowest signal of an answerable"), ("highest_negative", "highest of an unanswerable"))
    ends = [f"{name} question: {found[key]:.4g}" for key, name in names if found.get(key) is not None]
    return " · ".join([*ends, f"model {found['model'][:12]}"])


def _held_out(held_out: Report) -> str:
    """A row for each threshold: shares below it among questions that it was not fitted on."""
    if not held_out:
        return ""
    rows = ([safe(name), _rate(one["positives"]), _rate(one["negatives"])] for name, one in held_out.items())
    shown = table(["held out", "answerable below", "unanswerable below"], rows)
    return lines([shown, quiet("By cross-validation, with 95 % intervals by Wilson.")])


def _rate(rate: Report) -> str:
    return f"{rate['share']:.1%} ({rate['low']:.1%} to {rate['high']:.1%}; {rate['count']} of {rate['of']})"
