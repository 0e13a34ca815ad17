"""A comparison on a terminal: what it is about to ask, every answer, and the means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wherein.cli.command import Call
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.times import counted

if TYPE_CHECKING:
    from wherein.pipelines.compare_plan import ModelPlan, Plan
    from wherein.pipelines.comparison import Comparison

_COUNTS = ("ok", "failed", "empty", "refused", "uncontrolled")
_SHOWN = (
    "files_cited", "lowest_rank_cited", "evidence_used", "quotes_verified", "quotes_unverified",
    "sentences_without_citation", "completion_tokens", "seconds_to_first_token", "seconds",
)  # fmt: skip


def show_plan(found: Plan) -> None:
    """A line for each question, one for each model, and the sum of what has a price."""
    for one in found.questions:
        fits = f"{counted(one.sent, 'passage')} sent, {one.dropped} dropped" if one.sent else "not in your files"
        print_line(one_line(f"{one.question}: {fits}, at most {counted(one.prompt_tokens, 'token')}"))
    temperatures = ", ".join(f"{value:g}" for value in found.temperatures)
    told = f"temperature {temperatures} · {counted(found.repeat, 'repeat')} · window {found.window:,} tokens"
    print_line(f"\n{told} · an answer at most {found.max_tokens:,} tokens")
    for model in found.models:
        print_line(one_line(model_line(model)))
    if found.price is not None:
        print_line(f"at most {found.price:.4g} in all")


def model_line(one: ModelPlan) -> str:
    """`m at http://…: 18 requests, at most 9,000 tokens in and 2,880 out, for at most 0.05`."""
    if one.sends_to is None:
        return f"{one.model}: asks no model server"
    price = "no price is set (price_in, price_out)" if one.price is None else f"for at most {one.price:.4g}"
    tokens = f"at most {one.prompt_tokens:,} tokens in and {one.completion_tokens:,} out"
    where = f"{one.sends_to}{', another machine' if one.remote else ''}"
    return f"{one.model} at {where}: {counted(one.requests, 'request')}, {tokens}, {price}"


def show_comparison(call: Call, done: Comparison) -> None:
    """Every answer, then the means of each model and temperature, notes and the place of the report."""
    for one in done.questions:
        if not one.answers:
            print_line(one_line(f"Not in your files: {one.question}"))
        for answer in one.answers:
            print_line(one_line(f"{answer.model} at {answer.temperature:g}, seed {answer.seed}: {answer.status}"))
            print_line(f"{answer.error or answer.answer}\n")
    for row in done.summary:
        print_line("\n".join(one_line(line) if at == 0 else f"  {one_line(line)}" for at, line in enumerate(_row(row))))
    repeated = any(row["answers"] > 1 for row in done.summary)
    call.notes(*done.to_json()["notes"], "" if done.has_intervals or not repeated else done.intervals)
    if done.folder is not None:
        print_line(f"Report: {done.folder}")


def _row(row: dict[str, Any]) -> Iterator[str]:
    """`model at 0.3: 2 answers, 2 ok`, then means with their intervals, agreement, cost and differences."""
    counts = ", ".join([counted(row["answers"], "answer"), *(f"{row[name]} {name}" for name in _COUNTS if row[name])])
    yield f"{row['model']} at {row['temperature']:g}: {counts}"
    means = [_mean(row, name) for name in _SHOWN if row["means"][name] is not None]
    if means:
        yield " · ".join(means)
    if row["pairs"]:
        yield f"of {counted(row['pairs'], 'pair')} of repeats: {_agreement(row)}"
    if row["cost"] is not None:
        yield f"cost {row['cost']:g}"
    differing = [
        f"{_label(name)} {one['verdict']} ({one['mean']:+.3g})"
        for name, one in row["differences"].items()
        if one["verdict"] != "cannot tell"
    ]
    if differing:
        yield f"against the first: {' · '.join(differing)}"


def _mean(row: dict[str, Any], name: str) -> str:
    ends = row["intervals"][name]
    span = f" ({ends['low']:.3g} to {ends['high']:.3g})" if ends else ""
    return f"{_label(name)} {row['means'][name]:.3g}{span}"


def _agreement(row: dict[str, Any]) -> str:
    equal, cited = row["means"]["equal_text"], row["means"]["cited_jaccard"]
    passages = "none cites a passage" if cited is None else (
        f"cited passages overlap by {cited:.2f} (Jaccard, {counted(row['citing_pairs'], 'pair')})"
    )  # fmt: skip
    return f"{100 * equal:.0f} % equal text, {passages}"


def _label(name: str) -> str:
    return name.replace("_", " ")
