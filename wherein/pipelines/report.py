"""A comparison as one page: no script, nothing fetched, every word from files and models escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.records import Hit
from tasks import markers
from tasks.cite import CheckedCitation
from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison, summary
from wherein.pipelines.markup import lines, notes, quiet, safe
from wherein.pipelines.report_style import PAGE, STYLE

_COUNTS = ("answers", "ok", "failed", "empty", "refused", "uncontrolled")
_VERDICTS = {True: '<span class="verified">✓ verified</span>', False: '<span class="unverified">✗ not found</span>'}
_NOTHING = "–"


def page(done: Comparison, written_at: str) -> str:
    """The whole page; `written_at` is shown as it is."""
    several = len(done.questions) > 1
    title = f"{len(done.questions)} questions" if several else done.questions[0].question
    answers = [answer for one in done.questions for answer in one.answers]
    parts = [
        f'<h1 dir="auto">{safe(title)}</h1>',
        quiet(f"Compared on {written_at}: {', '.join(dict.fromkeys(done.models))}; window {done.window} tokens"),
        _contents(done.questions) if several else "",
        _summary(answers),
        notes(done.notes),
        *(_question(number, one, several) for number, one in enumerate(done.questions, 1)),
    ]
    shown = " ".join(title.split())[:80]
    return PAGE.substitute(title=safe(f"Comparison: {shown}"), style=STYLE, body=lines(parts))


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.6g}"


def _label(name: str) -> str:
    return safe(name.replace("_", " "))


def _contents(questions: Sequence[QuestionComparison]) -> str:
    items = (f'<li dir="auto"><a href="#q{n}">{safe(one.question)}</a></li>' for n, one in enumerate(questions, 1))
    return f"<ol>\n{lines(items)}\n</ol>"


def _summary(answers: Sequence[Compared]) -> str:
    """One row for each model and temperature."""
    rows = summary(answers)
    if not rows:
        return ""
    means = list(rows[0]["means"])
    head = "".join(f'<th scope="col">{_label(name)}</th>' for name in ("model", "temperature", *_COUNTS, *means))
    told = "Means are over the answers that are ok and whose temperature was accepted; seconds leave out loading."
    return lines([
        '<h2>Summary</h2>\n<div class="scroll"><table>',
        f"<thead><tr>{head}</tr></thead>\n<tbody>",
        *(_summary_row(row, means) for row in rows),
        f"</tbody></table></div>\n{quiet(told)}",
    ])  # fmt: skip


def _summary_row(row: dict[str, Any], means: Sequence[str]) -> str:
    numbers = [row["temperature"], *(row[name] for name in _COUNTS), *(row["means"][name] for name in means)]
    return f"<tr><td>{safe(row['model'])}</td>{''.join(f'<td>{_number(value)}</td>' for value in numbers)}</tr>"


def _question(number: int, one: QuestionComparison, several: bool) -> str:
    """A question with its passages, once, and the answers to it."""
    heading = f"{number}. {one.question}" if several else "Answers"
    return lines([
        f'<section id="q{number}">\n<h2 dir="auto">{safe(heading)}</h2>',
        _answers(number, one) or quiet("Not in your files: no model was asked."),
        _evidence(number, one),
        notes(one.evidence.notes),
        "</section>",
    ])  # fmt: skip


def _evidence(number: int, one: QuestionComparison) -> str:
    given = one.passages or one.evidence.hits
    shown = given or one.evidence.nearest
    name = "Evidence" if given else "The nearest passages"
    generations = ", ".join(f"{name} {n}" for name, n in sorted(one.evidence.generations.items()))
    told = f"confidence {one.evidence.confidence} · generation {generations} · digest {one.evidence_digest}"
    return lines([
        f"<h3>{name}</h3>",
        quiet(told),
        *(_passage(f"q{number}-p{marker}", marker, hit) for marker, hit in enumerate(shown, 1)),
    ])  # fmt: skip


def _passage(anchor: str, marker: int, hit: Hit) -> str:
    date = f"{hit.date} (time of the file)" if hit.date and hit.date_from == "mtime" else hit.date
    about = " · ".join(part for part in (date, hit.heading) if part)
    return lines([
        f'<div class="passage" id="{anchor}">',
        f'<div>[{marker}] <span class="place">{_place(hit)}</span></div>',
        quiet(about) if about else "",
        f'<div class="text" dir="auto">{safe(hit.text)}</div>\n</div>',
    ])  # fmt: skip


def _place(at: Hit | CheckedCitation) -> str:
    span = f"{at.line_start}" if at.line_start == at.line_end else f"{at.line_start}-{at.line_end}"
    return safe(f"{at.collection}/{at.path}:{span}")


def _answers(number: int, one: QuestionComparison) -> str:
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
    grid = (f'<div class="cell">\n{lines(_answer(number, answer) for answer in cell)}\n</div>' for cell in cells)
    return f'<div class="scroll"><div class="answers" style="--columns: {columns}">\n{lines(grid)}\n</div></div>'


def _answer(number: int, answer: Compared) -> str:
    mark = "" if answer.controlled else ' · <span class="uncontrolled">uncontrolled</span>'
    asked = f"temperature {answer.temperature:g} · seed {answer.seed} · repeat {answer.repeat}"
    return lines([
        f"<article>\n<h4>{safe(answer.model)}</h4>",
        f'<p class="quiet">{asked} · <span class="status {answer.status}">{answer.status}</span>{mark}</p>',
        f'<p class="failed">{safe(answer.error)}</p>' if answer.error else "",
        f'<div class="text" dir="auto">{_linked(number, answer)}</div>' if answer.answer.strip() else "",
        _citations(number, answer),
        _figures(answer),
        *(quiet(note) for note in answer.notes),
        "</article>",
    ])  # fmt: skip


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
    shown = f'{link} <span class="place">{_place(citation)}</span>'
    if citation.quote is None or citation.verified is None:
        return f"<li>{shown}</li>"
    elsewhere = f", but stands in [{citation.found_in}]" if citation.found_in else ""
    return f"<li>{shown} <q>{safe(citation.quote)}</q> {_VERDICTS[citation.verified]}{elsewhere}</li>"


def _figures(answer: Compared) -> str:
    """Metrics, seconds and tokens, each with what it is; without an answer, none."""
    if answer.metrics is None:
        return ""
    metrics, usage, seconds = answer.metrics, answer.usage, answer.seconds
    figures: dict[str, float | None] = {name: getattr(metrics, name) for name in type(metrics).__dataclass_fields__}
    figures |= {"prompt tokens": usage.prompt_tokens, "completion tokens": usage.completion_tokens}
    figures |= {"cost": usage.cost} if usage.cost is not None else {}
    figures |= {"seconds": seconds.total, "seconds to load": seconds.load}
    figures |= {"seconds to first token": seconds.first_token}
    rows = (f"<dt>{_label(name)}</dt><dd>{_number(_rounded(value))}</dd>" for name, value in figures.items())
    return f"<dl>\n{lines(rows)}\n</dl>"


def _rounded(value: float | None) -> float | None:
    return round(value, 4) if isinstance(value, float) else value
