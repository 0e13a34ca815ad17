"""An evaluation as one page: no script, nothing fetched, every word from files and settings escaped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from wherein.pipelines.evaluation import page_arms, page_style
from wherein.pipelines.evaluation.page_confidence import confidence
from wherein.pipelines.evaluation.page_losses import losses
from wherein.pipelines.evaluation.page_questions import questions
from wherein.pipelines.markup import lines, notes, quiet, safe
from wherein.pipelines.report_style import PAGE, STYLE


def page(report: Mapping[str, Any]) -> str:
    """The whole page of a report document with its `rows`."""
    name = PurePath(report["golden"]["file"]).name
    parts = [
        f'<h1 dir="auto">Evaluation: {safe(name)}</h1>',
        quiet(_set(report["golden"])),
        quiet(_run(report)),
        _warning(report.get("cannot_rank") or ""),
        page_arms.in_short(report),
        notes([note for note in report.get("notes") or [] if note != report.get("cannot_rank")]),
        page_arms.means(report),
        page_arms.differences(report),
        page_arms.kinds(report),
        losses(report),
        confidence(report),
        page_arms.latency(report),
        questions(report),
    ]
    return PAGE.substitute(title=safe(f"Evaluation: {name}"), style=STYLE + page_style.STYLE, body=lines(parts))


def _set(golden: Mapping[str, Any]) -> str:
    counts = golden.get("kinds") or {}
    kinds = ", ".join(f"{kind or 'other'} {count}" for kind, count in sorted(counts.items()) if len(counts) > 1)
    unanswerable = golden["questions"] - golden["answerable"]
    told = f"{golden['questions']} questions, "
    told += f"{unanswerable} of them without an answer in the files" if unanswerable else "all with an answer"
    return f"{told}{f' ({kinds})' if kinds else ''} · digest {golden['digest'][:12]}"


def _run(report: Mapping[str, Any]) -> str:
    generations = ", ".join(f"{name} {number}" for name, number in sorted(report["generations"].items()))
    told = f"generation {generations} · {report['chunks']:,} passages · base {report['base']}"
    return f"{_moment(report['created_at'])} · {told} · took {report['seconds']:.1f} s"


def _moment(iso: str) -> str:
    """To the minute, in UTC as it is written."""
    return f"{iso[:16].replace('T', ' ')} UTC" if iso.endswith("+00:00") else iso


def _warning(text: str) -> str:
    return f'<div class="said warning"><p>{safe(text)}</p></div>' if text else ""
