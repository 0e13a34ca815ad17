"""Which ranks of the evidence were cited, as small bars: one row for each model and temperature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison
from wherein.pipelines.markup import lines, quiet, safe
from wherein.pipelines.measured import cited_markers

_HEIGHT = 34
_FLOOR = 30
_NAMED_UP_TO = 20
_TOLD = (
    "How often each rank of the evidence was cited, as a share of the answers that are ok; rank 1 is the passage that "
    "stood first."
)


def ranks(done: Comparison) -> str:
    """The chart with its heading; nothing where no answer was given."""
    answered = [(one, answer) for one in done.questions for answer in one.answers if _counts(answer)]
    if not answered:
        return ""
    last = max(hit.rank for one, _ in answered for hit in one.passages)
    arms = list(dict.fromkeys((answer.model, answer.temperature) for one in done.questions for answer in one.answers))
    rows = []
    for at, (model, temperature) in enumerate(arms):
        if at == 0 or arms[at - 1][0] != model:
            rows.append(model_heading(model, 2))
        own = [pair for pair in answered if (pair[1].model, pair[1].temperature) == (model, temperature)]
        drawn = _bars(own, last, f"{model} at {temperature:g}")
        rows.append(f'<tr><th scope="row">{temperature:g}</th><td>{drawn}</td></tr>')
    head = f'<tr><th scope="col">rank</th><td>{_axis(last)}</td></tr>'
    columns = '<colgroup><col class="name"><col></colgroup>'
    body = f'<table class="ranks">\n{columns}\n<thead>{head}</thead>\n<tbody>\n{lines(rows)}\n</tbody></table>'
    told = _TOLD + (" The number over a bar is how many answers." if last <= _NAMED_UP_TO else "")
    return lines(
        [
            "<h2>Evidence cited, by rank</h2>",
            f'<div class="scroll">{body}</div>',
            quiet(told),
        ]
    )


def model_heading(model: str, columns: int) -> str:
    """A row that names the model of those below it."""
    return f'<tr class="model"><th colspan="{columns}" scope="rowgroup">{safe(model)}</th></tr>'


def _counts(answer: Compared) -> bool:
    return answer.status == "ok" and answer.controlled


def _bars(own: Sequence[tuple[QuestionComparison, Compared]], last: int, name: str) -> str:
    counts = Counter(one.passages[marker - 1].rank for one, answer in own for marker in sorted(cited_markers(answer)))
    said = ", ".join(f"rank {rank} {counts[rank]}" for rank in sorted(counts)) or "none"
    told = f"{name}, of {len(own)} answers cited: {said}"
    parts = [f'<line class="axis" x1="0" x2="100%" y1="{_FLOOR}" y2="{_FLOOR}"/>']
    for rank in range(1, last + 1):
        parts += _bar(counts[rank], len(own), rank, last)
    return f'<svg class="ranks" role="img" aria-label="{safe(told)}" height="{_HEIGHT}">{"".join(parts)}</svg>'


def _bar(count: int, answers: int, rank: int, last: int) -> list[str]:
    """From the floor up, leaving room for the number over it."""
    if not count:
        return []
    tall = max(1.0, (_FLOOR - 13) * count / answers)
    left, wide = 100 * (rank - 0.85) / last, 70 / last
    bar = f'<rect class="reach" x="{left:.2f}%" width="{wide:.2f}%" y="{_FLOOR - tall:.1f}" height="{tall:.1f}"/>'
    return [bar, _text(rank, last, _FLOOR - tall - 3, str(count))] if last <= _NAMED_UP_TO else [bar]


def _axis(last: int) -> str:
    """The numbers of the ranks; of many, every fifth."""
    shown = [rank for rank in range(1, last + 1) if last <= _NAMED_UP_TO or rank == 1 or rank % 5 == 0]
    texts = "".join(_text(rank, last, 12, str(rank)) for rank in shown)
    return f'<svg class="ranks" aria-hidden="true" height="16">{texts}</svg>'


def _text(rank: int, last: int, y: float, text: str) -> str:
    return f'<text x="{100 * (rank - 0.5) / last:.2f}%" y="{y:.1f}" text-anchor="middle">{text}</text>'
