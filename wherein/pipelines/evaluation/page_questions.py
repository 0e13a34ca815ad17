"""Every question, folded away by kind: what each arm made of it, where it was lost, what stood on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wherein.pipelines.evaluation.page_arms import NOTHING, number
from wherein.pipelines.markup import lines, quiet, safe, table

Report = Mapping[str, Any]

TOP = 5


def questions(report: Report) -> str:
    """Kinds in the order of the alphabet, questions in theirs; those that the base missed wholly are tallied."""
    asked: dict[str, dict[str, list[Report]]] = {}
    for row in report.get("rows") or []:
        kind = row.get("kind") or ("other" if row["answerable"] else "no answer")
        asked.setdefault(kind, {}).setdefault(row["id"], []).append(row)
    if not asked:
        return ""
    told = (
        f"Open a kind, then a question. Tallied is {report['measures'][0]} of the base, then its range over the arms."
    )
    return lines(["<h2>Questions</h2>", quiet(told), *(_kind(kind, asked[kind], report) for kind in sorted(asked))])


def _kind(kind: str, asked: Mapping[str, Sequence[Report]], report: Report) -> str:
    return lines([
        f"<details>\n<summary>{safe(kind)} ({len(asked)})</summary>",
        *(_question(rows, report) for rows in asked.values()),
        "</details>",
    ])  # fmt: skip


def _question(rows: Sequence[Report], report: Report) -> str:
    first = rows[0]
    head = f'<span class="id">{safe(str(first["id"]))}</span> <bdi>{safe(first["question"])}</bdi>'
    measures = [measure for measure in report["measures"] if any(row.get(measure) is not None for row in rows)]
    columns = ["arm", *map(safe, measures), "confidence", "lost", "on top"]
    shown = table(columns, (_arm(row, measures) for row in rows), "questions")
    return f"<details>\n<summary>{head} {_tally(rows, report)}</summary>\n{shown}\n</details>"


def _tally(rows: Iterable[Report], report: Report) -> str:
    measure = report["measures"][0]
    values = {row["arm"]: row[measure] for row in rows if row.get(measure) is not None}
    if not values:
        return ""
    least, most = (number(end(values.values()), measure) for end in (min, max))
    base = number(values.get(report["base"]), measure)
    return f'<span class="tally">{base}{f" ({least} to {most})" if least != most else ""}</span>'


def _arm(row: Report, measures: Iterable[str]) -> list[str]:
    signal = f" ({row['signal']:.3g})" if isinstance(row.get("signal"), int | float) else ""
    return [
        safe(row["arm"]),
        *(number(row.get(measure), measure) for measure in measures),
        safe(row.get("confidence") or NOTHING) + signal,
        _lost(row.get("lost") or []),
        _top(row.get("top") or []),
    ]


def _lost(lost: Sequence[Report]) -> str:
    """The first few, and how many more there are."""
    shown = [f"{safe(one['relevant'])}: {safe(one['stage'])}" for one in lost[:TOP]]
    more = [f"and {len(lost) - TOP} more"] if len(lost) > TOP else []
    return "<br>".join([*shown, *more]) or NOTHING


def _top(places: Sequence[str]) -> str:
    items = "".join(f"<li>{safe(place)}</li>" for place in places[:TOP])
    return f'<ol class="top">{items}</ol>' if items else NOTHING
