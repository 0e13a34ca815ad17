"""Evaluations on a terminal: the arms, the history, and what answers were worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from store.records import to_json
from wherein.cli.command import Call
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.times import counted, seconds

if TYPE_CHECKING:
    from wherein.pipelines.evaluation.evaluation import Evaluation


def show(done: Evaluation) -> None:
    """The arms, best first below the base, then what was lost in the base."""
    from wherein.pipelines.evaluation.rows import MEANINGS

    report = done.to_json()
    golden = report["golden"]
    print_line(
        f"{counted(golden['questions'], 'question')} ({golden['answerable']} answerable), {len(report['arms'])} arms,"
        f" {seconds(report['seconds'])}"
    )
    width = max(len(arm["name"]) for arm in report["arms"])
    columns = report["measures"]
    print_line(f"\n{'arm':<{width}} " + " ".join(f"{name:>11}" for name in columns) + "   median  against current")
    base, *others = report["arms"]
    for arm in [base, *sorted(others, key=lambda arm: (-arm["means"][columns[0]], arm["name"]))]:
        print_line(one_line(f"{arm['name']:<{width}} {_row(arm, columns)}"))
    print_line("\n" + "; ".join(f"{name}: {MEANINGS[name]}" for name in columns))
    _show_losses(base["losses"])
    if done.confidence is not None:
        print_line(f"\n{done.confidence.sentence}")


def _row(arm: dict[str, Any], columns: list[str]) -> str:
    values = " ".join(f"{arm['means'][name]:>11.3f}" for name in columns)
    median = arm["latency"]["total"]["median"]
    return f"{values}  {median * 1000:>5.0f} ms  {_against(arm['differences'].get(columns[0]))}"


def _against(difference: dict[str, Any] | None) -> str:
    """`+0.031 (+0.004 to +0.058) better`."""
    if difference is None:
        return ""
    return (
        f"{difference['mean']:+.3f} ({difference['low']:+.3f} to {difference['high']:+.3f}) {difference['verdict']}"
        + (f" below {difference['smallest']:.3f}" if difference["verdict"] == "cannot tell" else "")
    )


def _show_losses(losses: dict[str, Any]) -> None:
    print_line(f"\nWith the current settings {losses['found']} were found, {losses['missed']} missed.")
    for remedy in losses["remedies"]:
        print_line(f"- {remedy}")


def show_answers(report: dict[str, Any]) -> None:
    """A line for each model and temperature, and its differences from the first."""
    for arm in report["arms"]:
        values = [f"{name} {value:.3f}" for name, value in arm["means"].items() if value is not None]
        print_line(one_line(f"{arm['model']} at {arm['temperature']:g}: {' · '.join(values)}"))
        for name, difference in arm["differences"].items():
            print_line(f"  {name} against the first: {_against(difference)}")
    print_line(one_line(f"Report: {report['folder']}"))


def show_history(call: Call) -> int:
    """A line for each evaluation, oldest first, with its change since the last of the same questions."""
    from wherein.pipelines.evaluation.history import History, moved
    from wherein.pipelines.evaluation.rows import TARGET
    from wherein.pipelines.evaluation.written import history_file

    found = moved(History.read(history_file(call.workspace)), TARGET)
    if call.as_json:
        return call.document(to_json(found))
    if not found:
        call.note("No evaluation yet: `wherein evaluate --golden FILE` makes one.")
    for one in found:
        line = f"{one.created_at}  {one.golden[:8]}  {counted(one.questions, 'question')}  {one.generations}"
        change = None if one.change is None else to_json(one.change)
        print_line(one_line(f"{line}  {TARGET} {one.means[TARGET]:.3f}  {_against(change)}".rstrip()))
    return 0
