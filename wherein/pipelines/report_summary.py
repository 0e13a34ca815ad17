"""The figures of a comparison's page: outcomes, means on their intervals, ranks cited, agreement, time and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wherein.pipelines.comparison import Comparison
from wherein.pipelines.evaluation.charts import Scale, interval
from wherein.pipelines.markup import lines, quiet, safe, table
from wherein.pipelines.measured import CITING, SHARES, SPENT
from wherein.pipelines.report_ranks import model_heading, ranks
from wherein.pipelines.summary import LOWER_IS_BETTER

Row = Mapping[str, Any]

_COUNTS = ("answers", "ok", "refused", "empty", "failed", "uncontrolled")
_NAMES = {
    "answered": "answers given",
    "evidence_used": "share of the passages cited",
    "lowest_rank_cited": "lowest rank cited",
    "seconds": "seconds, loading aside",
    "equal_text": "same text",
    "cited_jaccard": "same passages cited (Jaccard index)",
}
_COLUMNS = '<colgroup><col class="name"><col class="drawn"><col></colgroup>'
_WITHIN_ONE = frozenset({*SHARES, "evidence_used", "equal_text", "cited_jaccard"})
_MEANT = (
    "Means of answers that are ok and whose temperature was accepted: over the repeats of a question first, then over "
    "questions. "
)
_BARS = "Bars are 95 % intervals (bootstrap over questions); there is none where all questions have the same value. "
_DIFFERS = (
    "“Better”, “worse”, “higher” and “lower” are said of the difference to the first row, where a paired test over all "
    "rows can tell it from chance; where no word stands, it cannot tell."
)
_AGREES = (
    "Pairs of repeats of a question, which differ by their seed alone; white space aside. The Jaccard index is "
    "what both cite as a share of what either cites; pairs that both cite nothing have none and are left out."
)


def figures(done: Comparison) -> str:
    """Everything that is counted over all answers; nothing where no model was asked."""
    rows = done.summary
    if not rows:
        return ""
    return lines([
        "<h2>Outcomes</h2>",
        _outcomes(rows),
        _shares(rows) if done.has_intervals else "",
        "<h2>Citations</h2>",
        _blocks(rows, CITING),
        quiet(_MEANT + (_BARS + _DIFFERS if done.has_intervals else f"{done.intervals}.")),
        ranks(done),
        *_agreement(rows),
        "<h2>Time and cost</h2>",
        _blocks(rows, SPENT),
        _paid(done),
    ])  # fmt: skip


def _outcomes(rows: Sequence[Row]) -> str:
    counted = [name for name in _COUNTS if name in ("answers", "ok") or any(row[name] for row in rows)]
    body = ([_arm(row), *(str(row[name]) for name in counted)] for row in rows)
    return table(["model and temperature", *counted], body, "outcomes")


def _shares(rows: Sequence[Row]) -> str:
    """Only of what sets answers apart: a share that is all or nothing everywhere says what the counts say."""
    told = [name for name in SHARES if any(row["intervals"][name] for row in rows)]
    return _blocks(rows, told) if told else ""


def _agreement(rows: Sequence[Row]) -> Iterator[str]:
    if not any(row["pairs"] for row in rows):
        return
    yield "<h2>Agreement between repeats</h2>"
    yield _blocks(rows, ("equal_text", "cited_jaccard"), _pairs)
    yield quiet(_AGREES)


def _pairs(row: Row, name: str) -> str:
    count = row["pairs" if name == "equal_text" else "citing_pairs"]
    return f"{count} pair{'' if count == 1 else 's'}"


def _paid(done: Comparison) -> str:
    if done.cost is None:
        return quiet("No model has a price (price_in and price_out of its settings).")
    told = ", ".join(
        f"{row['model']} at {row['temperature']:g}: {row['cost']:g}" for row in done.summary if row["cost"]
    )
    return quiet(f"Cost of all answers {done.cost:g}: {told}")


def _arm(row: Row) -> str:
    return f'{safe(row["model"])} <span class="unit">at {row["temperature"]:g}</span>'


def _blocks(rows: Sequence[Row], names: Sequence[str], beside: Callable[[Row, str], str] | None = None) -> str:
    """One small table for each measure that any row has, side by side where there is room."""
    known = [name for name in names if any(row["means"][name] is not None for row in rows)]
    return f'<div class="measures">\n{lines(_block(rows, name, beside) for name in known)}\n</div>'


def _block(rows: Sequence[Row], name: str, beside: Callable[[Row, str], str] | None) -> str:
    scale = Scale(0.0, 1.0 if name in _WITHIN_ONE else max(_highest(row, name) for row in rows) or 1.0)
    better = ' <span class="unit">less is better</span>' if name in LOWER_IS_BETTER else ""
    body = lines(part for row, heading in _headed(rows) for part in (heading, _line(row, name, scale, beside)))
    head = f"<caption>{safe(_label(name))}{better}</caption>\n{_COLUMNS}"
    return f'<table class="measure">\n{head}\n<tbody>\n{body}\n</tbody></table>'


def _label(name: str) -> str:
    return _NAMES.get(name, name.replace("_", " "))


def _headed(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    """Each row with a line that names its model, where that is another than before."""
    before = None
    for row in rows:
        yield row, model_heading(row["model"], 3) if row["model"] != before else ""
        before = row["model"]


def _line(row: Row, name: str, scale: Scale, beside: Callable[[Row, str], str] | None) -> str:
    mean, ends = row["means"][name], row["intervals"][name]
    head = f'<th scope="row">{row["temperature"]:g}</th>'
    if mean is None:
        return f"<tr>{head}<td></td><td>–</td></tr>"
    span = f"{_short(ends['low'])} to {_short(ends['high'])}" if ends else ""
    told = f"{row['model']} at {row['temperature']:g}: {_short(mean)}{f', {span}' if span else ''}"
    drawn = interval(mean, (ends["low"], ends["high"]) if ends else None, scale, None, told)
    more = f' <span class="unit">({span})</span>' if span else ""
    more += f' <span class="unit">{beside(row, name)}</span>' if beside else _of(row, name)
    return f"<tr>{head}<td>{drawn}</td><td>{_short(mean)}{more}{_verdict(row, name)}</td></tr>"


def _of(row: Row, name: str) -> str:
    """How many questions a mean is of, where others have no value."""
    counted, asked = row["questions"][name], row["questions"]["answered"]
    return f' <span class="unit">of {counted} of {asked} questions</span>' if counted < asked else ""


def _short(value: float) -> str:
    """Three digits, or of small numbers the first two that are not 0."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) >= 1 else f"{value:.2g}"


def _verdict(row: Row, name: str) -> str:
    found = row["differences"].get(name)
    if found is None or found["verdict"] == "cannot tell":
        return ""
    return f' <span class="verdict {found["verdict"]}">{found["verdict"]}</span>'


def _highest(row: Row, name: str) -> float:
    ends = row["intervals"][name]
    return max(row["means"][name] or 0.0, ends["high"] if ends else 0.0)
