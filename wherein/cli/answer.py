"""An answer on a terminal: the text, what was looked up, the files, and what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wherein.cli.command import Call
from wherein.cli.output import print_aside, print_line
from wherein.cli.plain import one_line
from wherein.cli.times import index_age, seconds, stage_times

if TYPE_CHECKING:
    from tasks.cite import CheckedCitation, Source
    from wherein.pipelines.answer import Answer

_QUOTE_CHARACTERS = 100


def show_answer(call: Call, answer: Answer, *, streamed: str = "", verbose: bool = False) -> None:
    """Everything after retrieval; `streamed` is what has been written already."""
    _finish_text(answer, streamed)
    if answer.failure is not None:
        print_aside(answer.failure)
    for line in _below(answer):
        print_line(one_line(line))
    if answer.failure is not None or answer.refused:
        _show_passages(answer)
    if verbose:
        print_line("\n" + one_line(_account(answer)))
    call.notes(*answer.notes, index_age(answer.index_age_seconds))


def _finish_text(answer: Answer, streamed: str) -> None:
    if not streamed.strip():
        if answer.answer:
            print_line(answer.answer)
    elif not streamed.endswith("\n"):
        sys.stdout.write("\n")


def _below(answer: Answer) -> Iterator[str]:
    """Confidence, citations with their quotations' verdicts, and the files."""
    if answer.confidence == "weak" and not answer.refused:
        yield ""
        yield "Confidence is weak: the passages found may not answer the question."
    if answer.citations:
        yield ""
    yield from map(citation_line, answer.citations)
    if answer.unknown_markers:
        markers = ", ".join(f"[{marker}]" for marker in answer.unknown_markers)
        yield f"No passage has the number {markers}: what is said there has no source."
    for quote in answer.uncited_quotes:
        yield f"“{_short(quote)}” is quoted without a source."
    yield from _files("Files that contributed", answer.contributed)
    yield from _files("Also read", () if answer.refused else answer.also_read)


def citation_line(citation: CheckedCitation) -> str:
    last = f"-{citation.line_end}" if citation.line_end > citation.line_start else ""
    place = f"[{citation.marker}] {citation.path}:{citation.line_start}{last}"
    if citation.quote is None:
        return place
    return f"{place} “{_short(citation.quote)}” {verdict(citation)}"


def verdict(citation: CheckedCitation) -> str:
    """What was found of the quotation's words; whether what is said follows from them is for the reader to judge."""
    if citation.verified:
        return "stands there word for word"
    elsewhere = f"; it is in [{citation.found_in}]" if citation.found_in is not None else ""
    return f"NOT FOUND in that passage{elsewhere}"


def _short(text: str) -> str:
    return text if len(text) <= _QUOTE_CHARACTERS else f"{text[:_QUOTE_CHARACTERS]}…"


def _files(title: str, sources: Sequence[Source]) -> Iterator[str]:
    if sources:
        yield ""
        yield f"{title}:"
    for source in sources:
        yield f"  {source.path} {''.join(f'[{marker}]' for marker in source.markers)}"


def _show_passages(answer: Answer) -> None:
    """The passages themselves, where no model made an answer of them."""
    from wherein.cli.passages import Marks, console, show_hit

    hits = answer.evidence or answer.nearest
    if not hits:
        return
    screen, marks = console(), Marks(answer.question)
    print_line("\nThe nearest passages:" if answer.refused else "\nThe passages found:")
    for hit in hits:
        print_line()
        show_hit(screen, hit, marks)


def _account(answer: Answer) -> str:
    usage = answer.usage
    counts = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens" if usage.completion_tokens is not None else ""
    cost = f"cost {usage.cost:.4f}" if usage.cost else ""
    control = "" if answer.controlled else "uncontrolled"
    asked = f"{answer.model}, temperature {answer.temperature:g}, seed {answer.seed}"
    where = f"on {answer.device}" if answer.device else ""
    facts = [asked, where, control, counts, cost, seconds(answer.seconds.total), stage_times(answer.stages)]
    return " · ".join(fact for fact in facts if fact)
