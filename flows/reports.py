"""The outcome of a flow on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from flows.artifacts import begun, place
from store.errors import WhereinError
from wherein.cli.answer import verdict
from wherein.cli.output import print_aside, print_line
from wherein.cli.plain import one_line

if TYPE_CHECKING:
    from store.records import Hit, StageTime
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.comparison import Comparison
    from wherein.pipelines.evaluation.evaluation import Evaluation
    from wherein.pipelines.ingest import IngestReport


def show_ingest(outcomes: Mapping[str, IngestReport | WhereinError]) -> None:
    """Each collection: what became of its files, what was left out, and how long each stage took."""
    for name, outcome in outcomes.items():
        if isinstance(outcome, WhereinError):
            print_aside(f"{name}: {outcome.message}" if len(outcomes) > 1 else outcome.message)
            continue
        files = ", ".join(f"{count:,} {event}" for event, count in outcome.files.items() if count) or "no files"
        print_line(one_line(f"{name}: {files} · {outcome.chunks['total']:,} chunks · generation {outcome.generation}"))
        for problem in outcome.problems:
            print_aside(f"{problem.path}: {problem.reason} ({problem.kind})")
        _show_notes(outcome.notes)
        show_times(outcome.stages)


def show_answer(answer: Answer) -> None:
    """The answer, its citations, its evidence and the stages."""
    show_cited(answer)
    show_evidence(answer)


def show_cited(answer: Answer) -> None:
    """The answer, and where each citation leads."""
    if answer.failure is not None:
        print_aside(answer.failure)
    print_line(answer.answer)
    for citation in answer.citations:
        quote = f" “{citation.quote}” {verdict(citation)}" if citation.quote is not None else ""
        where = place(citation.path, citation.line_start, citation.line_end)
        print_line(one_line(f"[{citation.marker}] {where}{quote}"))


def show_evidence(answer: Answer) -> None:
    """Where the passages of an answer are and how they begin, notes and stages."""
    print_line("\nEvidence:" if answer.evidence else "\nThe nearest passages:")
    _show_hits(answer.evidence or answer.nearest)
    _show_notes(answer.notes)
    show_times(answer.stages)


def show_comparison(done: Comparison) -> None:
    """Every answer, the evidence of each question, and the stages."""
    for one in done.questions:
        print_line(f"{one_line(one.question)}\n")
        for answer in one.answers:
            print_line(one_line(f"{answer.model} at {answer.temperature:g}, seed {answer.seed}: {answer.status}"))
            print_line(f"{answer.error or answer.answer}\n")
        print_line("Evidence:")
        _show_hits(one.passages or one.evidence.hits)
        _show_notes(one.evidence.notes)
        show_times(one.evidence.stages)
    _show_notes(done.notes)
    show_times(done.stages)
    print_line(f"Report: {done.folder}")


def show_evaluation(done: Evaluation) -> None:
    """The arms, what was lost, and the stages."""
    from wherein.cli.evaluated import show

    show(done)
    show_times(done.stages)
    print_line(f"Report: {done.folder}")


def show_times(stages: Iterable[StageTime]) -> None:
    """A table of the stages that ran."""
    print_line(f"\n{'stage':<12}{'seconds':>10}{'items':>8}")
    for stage in stages:
        print_line(f"{stage.stage:<12}{stage.seconds:>10.3f}{stage.items:>8}")


def _show_hits(hits: Iterable[Hit]) -> None:
    """A line for each: what is cited stands above, and must not scroll away."""
    for number, hit in enumerate(hits, 1):
        parts = (f"{number}. {place(hit.path, hit.line_start, hit.line_end)}", hit.date or "", begun(hit.text))
        print_line(one_line("  ".join(part for part in parts if part)))


def _show_notes(notes: Iterable[str]) -> None:
    for note in notes:
        print_aside(f"note: {note}")
