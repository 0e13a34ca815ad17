"""A comparison as one page: no script, nothing fetched, every word from files and models escaped."""

from __future__ import annotations

from collections.abc import Sequence

from store.records import Hit
from wherein.pipelines.comparison import Comparison, QuestionComparison
from wherein.pipelines.markup import lines, notes, quiet, safe
from wherein.pipelines.report_answers import answers, place
from wherein.pipelines.report_style import PAGE, STYLE
from wherein.pipelines.report_summary import figures


def page(done: Comparison, written_at: str) -> str:
    """The whole page; `written_at` is shown as it is."""
    several = len(done.questions) > 1
    title = f"{len(done.questions)} questions" if several else done.questions[0].question
    asked = [_question(number, one, several) for number, one in enumerate(done.questions, 1)]
    parts = [
        f'<h1 dir="auto">{safe(title)}</h1>',
        quiet(f"Compared on {written_at}: {', '.join(dict.fromkeys(done.models))}; window {done.window} tokens"),
        _contents(done.questions) if several else "",
        notes(done.notes),
        *((figures(done), *asked) if several else (*asked, figures(done))),
    ]
    shown = " ".join(title.split())[:80]
    return PAGE.substitute(title=safe(f"Comparison: {shown}"), style=STYLE, body=lines(parts))


def _contents(questions: Sequence[QuestionComparison]) -> str:
    items = (f'<li dir="auto"><a href="#q{n}">{safe(one.question)}</a></li>' for n, one in enumerate(questions, 1))
    return f"<ol>\n{lines(items)}\n</ol>"


def _question(number: int, one: QuestionComparison, several: bool) -> str:
    """A question with its passages, once, and the answers to it."""
    heading = f"{number}. {one.question}" if several else "Answers"
    return lines([
        f'<section id="q{number}">\n<h2 dir="auto">{safe(heading)}</h2>',
        answers(number, one) or quiet("Not in your files: no model was asked."),
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
        f'<div>[{marker}] <span class="place">{place(hit)}</span></div>',
        quiet(about) if about else "",
        f'<div class="text" dir="auto">{safe(hit.text)}</div>\n</div>',
    ])  # fmt: skip
