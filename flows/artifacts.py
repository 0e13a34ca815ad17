"""What a run leaves for people to read in Prefect: counts, places and times; texts only where settings say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from store.errors import WhereinError
from tasks.quotes import quotations
from wherein.pipelines.synthesis import EXTRACTIVE

if TYPE_CHECKING:
    from store.records import Hit, StageTime
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.comparison import Comparison, QuestionComparison
    from wherein.pipelines.evaluation.evaluation import Evaluation
    from wherein.pipelines.ingest import IngestReport

ELIDED = "“…”"
COPIED = 32
_COUNTED = ("ok", "refused", "empty", "failed", "uncontrolled")
_MEANS = ("files_cited", "quotes_verified", "equal_text", "seconds")
BEGINNING = 72
"""Characters of a passage that are shown where many are listed."""


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

    Without `record_text` no words of the files are shown, also where the answer repeats them.
    """
    text = answer.answer if record_text else _own_words(answer)
    cited = [f"- [{c.marker}] `{place(c.path, c.line_start, c.line_end)}`" for c in answer.citations]
    facts = [
        f"{answer.model}, temperature {answer.temperature:g}, seed {answer.seed}",
        f"confidence {answer.confidence}",
    ]
    if answer.refused:
        facts.append(f"refused by {answer.refused_by}")
    if answer.failure_kind:
        facts.append(f"not answered: {answer.failure_kind}")
    parts = [text, "", *cited, "", " · ".join(facts), "", *_passages(answer.evidence or answer.nearest, record_text)]
    return "\n".join([*parts, "", *_times(answer.stages), ""])


def of_comparison(done: Comparison, *, record_text: bool) -> str:
    """The means, a table of answers for each question, and the folder of the report."""
    parts = [f"Report: `{done.folder}`" if done.folder else "", "", *_means(done)]
    for number, one in enumerate(done.questions, 1):
        parts += ["", f"Question {number}, evidence `{one.evidence_digest[:12]}`", "", *_answers(one)]
        parts += ["", *_passages(one.passages or one.evidence.hits, record_text), "", *_times(one.evidence.stages)]
        if record_text:
            parts += [f"\n{answer.model} at {answer.temperature:g}\n\n{answer.answer}" for answer in one.answers]
    return "\n".join([*parts, "", *_times(done.stages), ""])


def of_evaluation(done: Evaluation) -> str:
    """A table of the arms, and the folder of the report; measures are numbers, so nothing of the files is in it."""
    report = done.to_json()
    head = ["arm", *report["measures"], "against the base"]
    rows = [
        [
            arm["name"],
            *(f"{arm['means'][name]:.3f}" for name in report["measures"]),
            _verdict(arm, report["measures"][0]),
        ]
        for arm in report["arms"]
    ]
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in (head, ["---"] * len(head), *rows)]
    losses = [f"- {remedy}" for remedy in report["arms"][0]["losses"]["remedies"]]
    return "\n".join([f"Report: `{done.folder}`", "", *lines, "", *losses, "", *_times(done.stages), ""])


def _verdict(arm: Mapping[str, Any], measure: str) -> str:
    found = arm["differences"].get(measure)
    return f"{found['mean']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f}) {found['verdict']}" if found else ""


def _own_words(answer: Answer) -> str:
    if answer.model == EXTRACTIVE and answer.answer and not answer.refused:
        return "Sentences of the files, from the places below."
    return without_passages(without_quotations(answer.answer), [hit.text for hit in answer.evidence])


def without_quotations(text: str) -> str:
    """The text with whatever stands in quotation marks left out: those are words of the files."""
    kept, end = [], 0
    for quotation in quotations(text):
        kept += [text[end : quotation.start], ELIDED]
        end = quotation.end
    return "".join([*kept, text[end:]])


def without_passages(text: str, passages: Iterable[str]) -> str:
    """The text with every run of COPIED or more characters that a passage has too left out.

    White space and case count for nothing.
    """
    windows = {window for passage in passages for window in _windows(_folded(passage))}
    letters = [(index, letter) for index, letter in enumerate(text) if not letter.isspace()]
    copied: set[int] = set()
    for start, window in enumerate(_windows(_folded(text))):
        if window in windows:
            copied.update(range(letters[start][0], letters[start + COPIED - 1][0] + 1))
    parts = (letter if i not in copied else "…" if i - 1 not in copied else "" for i, letter in enumerate(text))
    return "".join(parts)


def _folded(text: str) -> str:
    """One folded character for each that is not white space."""
    return "".join(letter.lower()[0] for letter in text if not letter.isspace())


def _windows(folded: str) -> Iterable[str]:
    return (folded[start : start + COPIED] for start in range(len(folded) - COPIED + 1))


def place(path: str, line_start: int, line_end: int) -> str:
    """`path:3-5`"""
    return f"{path}:{line_start}" + (f"-{line_end}" if line_end > line_start else "")


def _answers(one: QuestionComparison) -> list[str]:
    rows = [
        f"| {_cell(a.model)} | {a.temperature:g} | {a.seed} | {a.status} | {len(a.citations)} | {a.seconds.total:.2f} |"
        for a in one.answers
    ]
    return ["| model | temperature | seed | status | citations | seconds |", "|---|---|---|---|---|---|", *rows]


def begun(text: str) -> str:
    """How a text begins, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= BEGINNING else f"{words[:BEGINNING].rpartition(' ')[0] or words[:BEGINNING]} …"


def _means(done: Comparison) -> list[str]:
    """A row for each model and temperature."""
    head = ("model", "temperature", "answers", *_COUNTED, *(name.replace("_", " ") for name in _MEANS), "cost")
    rows = [
        [row["model"], f"{row['temperature']:g}", row["answers"], *(row[name] for name in _COUNTED)]
        + [_figure(row["means"][name]) for name in _MEANS]
        + [_figure(row["cost"])]
        for row in done.summary
    ]
    return [f"| {' | '.join(_cell(str(cell)) for cell in row)} |" for row in (head, ["---"] * len(head), *rows)]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _passages(hits: Iterable[Hit], record_text: bool) -> list[str]:
    lines = []
    for number, hit in enumerate(hits, 1):
        parts = [f"{number}. `{place(hit.path, hit.line_start, hit.line_end)}`", hit.date or ""]
        lines.append(" ".join(part for part in [*parts, _cell(begun(hit.text)) if record_text else ""] if part))
    return lines


def _times(stages: Iterable[StageTime]) -> list[str]:
    rows = [f"| {stage.stage} | {stage.seconds:.3f} | {stage.items} |" for stage in stages]
    return ["| stage | seconds | items |", "|---|---|---|", *rows] if rows else []


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
