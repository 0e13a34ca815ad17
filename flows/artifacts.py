"""What a run leaves for people to read in Prefect: counts, places and times; texts only where settings say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from store.errors import WhereinError
from tasks.quotes import quotations

if TYPE_CHECKING:
    from store.records import Hit, StageTime
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.comparison import Comparison, QuestionComparison
    from wherein.pipelines.ingest import IngestReport

ELIDED = "“…”"


def leave(key: str, markdown: str) -> None:
    """Keep a page beside the current run; where Prefect has trouble, the run goes on without it."""
    from prefect.artifacts import create_markdown_artifact
    from prefect.logging import get_run_logger

    try:
        create_markdown_artifact(markdown, key=key)
    except Exception as error:  # noqa: BLE001 - a page less is no reason to fail finished work
        get_run_logger().warning("The page of this run was not kept: %s", type(error).__name__)


def of_ingest(outcomes: Mapping[str, IngestReport | WhereinError]) -> str:
    """A table row for each collection, then what was left out, then the times."""
    lines = ["| collection | generation | files | chunks | embedded | seconds |", "|---|---|---|---|---|---|"]
    problems: list[str] = []
    times: list[str] = []
    for name, outcome in outcomes.items():
        if isinstance(outcome, WhereinError):
            lines.append(f"| {name} | {_cell(outcome.message)} | | | | |")
            continue
        files = ", ".join(f"{count} {event}" for event, count in outcome.files.items() if count) or "none"
        chunks = f"{outcome.chunks['total']} (+{outcome.chunks['added']} -{outcome.chunks['removed']})"
        cells = (name, outcome.generation, files, chunks, outcome.embedded, f"{outcome.seconds:.2f}")
        lines.append("| " + " | ".join(_cell(str(cell)) for cell in cells) + " |")
        problems += [f"- `{problem.path}`: {problem.kind}" for problem in outcome.problems]
        times += ["", f"Stages of {name}", "", *_times(outcome.stages)]
    return "\n".join([*lines, "", *problems, *times, ""])


def of_answer(answer: Answer, *, record_text: bool) -> str:
    """The answer, where its citations and passages are, and how it came about.

    Without `record_text` quotations are left out of the answer, and no passage is shown.
    """
    text = answer.failure or (answer.answer if record_text else without_quotations(answer.answer))
    cited = [f"- [{c.marker}] `{place(c.path, c.line_start, c.line_end)}`" for c in answer.citations]
    facts = [
        f"{answer.model}, temperature {answer.temperature:g}, seed {answer.seed}",
        f"confidence {answer.confidence}",
    ]
    if answer.refused:
        facts.append(f"refused by {answer.refused_by}")
    parts = [text, "", *cited, "", " · ".join(facts), "", *_passages(answer.evidence or answer.nearest, record_text)]
    return "\n".join([*parts, "", *_times(answer.stages), ""])


def of_comparison(done: Comparison, *, record_text: bool) -> str:
    """A table of answers for each question, and the folder of the report."""
    parts = [f"Report: `{done.folder}`" if done.folder else ""]
    for number, one in enumerate(done.questions, 1):
        parts += ["", f"Question {number}, evidence `{one.evidence_digest[:12]}`", "", *_answers(one)]
        parts += ["", *_passages(one.passages or one.evidence.hits, record_text), "", *_times(one.evidence.stages)]
        if record_text:
            parts += [f"\n{answer.model} at {answer.temperature:g}\n\n{answer.answer}" for answer in one.answers]
    return "\n".join([*parts, "", *_times(done.stages), ""])


def without_quotations(text: str) -> str:
    """The text with whatever stands in quotation marks left out: those are words of the files."""
    kept, end = [], 0
    for quotation in quotations(text):
        kept += [text[end : quotation.start], ELIDED]
        end = quotation.end
    return "".join([*kept, text[end:]])


def place(path: str, line_start: int, line_end: int) -> str:
    """`path:3-5`"""
    return f"{path}:{line_start}" + (f"-{line_end}" if line_end > line_start else "")


def _answers(one: QuestionComparison) -> list[str]:
    rows = [
        f"| {_cell(a.model)} | {a.temperature:g} | {a.seed} | {a.status} | {len(a.citations)} | {a.seconds.total:.2f} |"
        for a in one.answers
    ]
    return ["| model | temperature | seed | status | citations | seconds |", "|---|---|---|---|---|---|", *rows]


def _passages(hits: Iterable[Hit], record_text: bool) -> list[str]:
    lines = []
    for number, hit in enumerate(hits, 1):
        lines.append(f"{number}. `{place(hit.path, hit.line_start, hit.line_end)}` {hit.date or ''}".rstrip())
        if record_text:
            lines += ["", *(f"   > {line}" for line in hit.text.splitlines()), ""]
    return lines


def _times(stages: Iterable[StageTime]) -> list[str]:
    rows = [f"| {stage.stage} | {stage.seconds:.3f} | {stage.items} |" for stage in stages]
    return ["| stage | seconds | items |", "|---|---|---|", *rows] if rows else []


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
