"""The answers to one question, side by side: a cell for each model and temperature."""

from __future__ import annotations

from collections.abc import Sequence

from store.records import Hit
from tasks import markers
from tasks.cite import CheckedCitation
from wherein.pipelines.comparison import Compared, QuestionComparison
from wherein.pipelines.markup import lines, quiet, safe

_VERDICTS = {
    True: '<span class="verified">✓ stands there word for word</span>',
    False: '<span class="unverified">✗ not found</span>',
}
_PRINTED_COLUMNS = 3


def answers(number: int, one: QuestionComparison) -> str:
    """A grid of models by temperatures; of a single model, its temperatures side by side."""
    if not one.answers:
        return ""
    models = list(dict.fromkeys(answer.model for answer in one.answers))
    temperatures = list(dict.fromkeys(answer.temperature for answer in one.answers))
    columns = len(models) if len(models) > 1 else len(temperatures)
    cells = (
        [answer for answer in one.answers if (answer.temperature, answer.model) == (temperature, model)]
        for temperature in temperatures
        for model in models
    )
    grid = lines(_cell(number, cell) for cell in cells if cell)
    sized = f"--columns: {columns}; --printed: {min(columns, _PRINTED_COLUMNS)}"
    return f'<div class="scroll"><div class="answers" style="{sized}">\n{grid}\n</div></div>'


def _cell(number: int, cell: Sequence[Compared]) -> str:
    """Repeats that gave the same stand as one."""
    same: dict[tuple[object, ...], list[Compared]] = {}
    for answer in cell:
        same.setdefault((answer.status, answer.answer, answer.error, answer.controlled, answer.notes), []).append(
            answer
        )
    head = f'<h4>{safe(cell[0].model)} <span class="unit">at {cell[0].temperature:g}</span></h4>'
    told = (_answer(number, alike, repeated=len(cell) > 1) for alike in same.values())
    return f'<div class="cell">\n{head}\n{lines(told)}\n</div>'


def _answer(number: int, alike: Sequence[Compared], *, repeated: bool) -> str:
    answer = alike[0]
    mark = "" if answer.controlled else ' · <span class="uncontrolled">uncontrolled</span>'
    return lines([
        "<article>",
        f'<p class="quiet">{_asked(alike, repeated)} · '
        f'<span class="status {answer.status}">{answer.status}</span>{mark}</p>',
        f'<p class="failed">{safe(answer.error)}</p>' if answer.error else "",
        f'<div class="text" dir="auto">{_linked(number, answer)}</div>' if answer.answer.strip() else "",
        _citations(number, answer),
        quiet(_figures(alike)) if answer.metrics else "",
        *(quiet(note) for note in answer.notes),
        "</article>",
    ])  # fmt: skip


def _asked(alike: Sequence[Compared], repeated: bool) -> str:
    seeds = _named("seed", [answer.seed for answer in alike])
    return f"{_named('repeat', [answer.repeat for answer in alike])} · {seeds}" if repeated else seeds


def _named(what: str, numbers: Sequence[int]) -> str:
    return f"{what}{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _linked(number: int, answer: Compared) -> str:
    """The answer, each of its known markers a link to the passage."""
    known = {citation.marker for citation in answer.citations}
    pieces, at = [], 0
    for group in markers.groups(answer.answer):
        if known.isdisjoint(group.markers) and not set(answer.unknown_markers) & set(group.markers):
            continue
        pieces.append(safe(answer.answer[at : group.start]))
        pieces.extend(_marker(number, marker, known) for marker in group.markers)
        at = group.end
    return "".join([*pieces, safe(answer.answer[at:])])


def _marker(number: int, marker: int, known: set[int]) -> str:
    if marker in known:
        return f'<a href="#q{number}-p{marker}">[{marker}]</a>'
    return f'<span class="unknown" title="no such passage">[{marker}?]</span>'


def _citations(number: int, answer: Compared) -> str:
    items = [_citation(number, citation) for citation in answer.citations]
    if answer.unknown_markers:
        named = ", ".join(f"[{marker}]" for marker in answer.unknown_markers)
        items.append(f'<li class="unknown">No such passage: {named}</li>')
    return f'<ul class="citations">\n{lines(items)}\n</ul>' if items else ""


def _citation(number: int, citation: CheckedCitation) -> str:
    link = f'<a href="#q{number}-p{citation.marker}">[{citation.marker}]</a>'
    shown = f'{link} <span class="place">{place(citation)}</span>'
    if citation.quote is None or citation.verified is None:
        return f"<li>{shown}</li>"
    elsewhere = f", but stands in [{citation.found_in}]" if citation.found_in else ""
    return f"<li>{shown} <q>{safe(citation.quote)}</q> {_VERDICTS[citation.verified]}{elsewhere}</li>"


def place(at: Hit | CheckedCitation) -> str:
    span = f"{at.line_start}" if at.line_start == at.line_end else f"{at.line_start}-{at.line_end}"
    return safe(f"{at.collection}/{at.path}:{span}")


def _figures(alike: Sequence[Compared]) -> str:
    """What is measured of an answer in one line; times of answers that are alike in turn."""
    metrics, usage = alike[0].metrics, alike[0].usage
    if metrics is None:
        return ""
    parts = [
        _count(metrics.files_cited, "file") + " cited",
        f"lowest rank {metrics.lowest_rank_cited}" if metrics.lowest_rank_cited is not None else "",
        f"{100 * metrics.evidence_used:.0f} % of the passages" if metrics.evidence_used else "",
        _quotes(metrics.quotes_verified, metrics.quotes_unverified),
        _count(metrics.sentences_without_citation, "sentence") + " without citation",
        f"{_count(usage.completion_tokens, 'token')}" if usage.completion_tokens is not None else "",
        f"{_seconds([answer.seconds.total for answer in alike])} s",
        _first([answer.seconds.first_token for answer in alike]),
        _loads([answer.seconds.load for answer in alike]),
        f"on {alike[0].device}" if alike[0].device else "",
        f"cost {usage.cost:g}" if usage.cost is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def _quotes(verified: int, unverified: int) -> str:
    return f"quotations {verified} verified, {unverified} not" if verified or unverified else ""


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _seconds(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _first(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"first token after {_seconds(known)} s" if known else ""


def _loads(values: Sequence[float | None]) -> str:
    known = [value for value in values if value]
    return f"of it loading {_seconds(known)} s" if known else ""
