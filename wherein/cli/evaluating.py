"""`wherein evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from store.errors import usage
from store.records import to_json
from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.progress import progress_bar
from wherein.cli.run import recorded
from wherein.cli.times import counted, seconds

if TYPE_CHECKING:
    from wherein.pipelines.evaluation.evaluate import EvaluateOptions
    from wherein.pipelines.evaluation.evaluation import Evaluation


@dataclass(frozen=True)
class EvaluateFlags:
    """What `evaluate` takes."""

    golden: Annotated[
        Path | None, typer.Option("--golden", metavar="FILE", help="Golden questions: JSON lines, or a judged folder.")
    ] = None
    arms: Annotated[
        list[str] | None,
        typer.Option("--arm", metavar="NAME:KEY=VALUE,…", help="Settings to measure; repeatable. Default: a matrix."),
    ] = None
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first N questions.")] = None
    collections: Annotated[
        list[str] | None, typer.Option("--collection", metavar="NAME", help="Only this collection; repeatable.")
    ] = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the report here.")] = None
    apply: Annotated[
        bool, typer.Option("--apply", help="Keep the fitted confidence thresholds in wherein.calibration.json.")
    ] = False
    budget_weak: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=0.5, help="Answerable questions that may be told to be weak.")
    ] = 0.05
    budget_none: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=0.5, help="Answerable questions that may be refused.")
    ] = 0.01
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of folds and resampling.")] = 0
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit with 6 if the settings do worse than at the last evaluation.")
    ] = False
    history: Annotated[bool, typer.Option("--history", help="Show earlier evaluations instead.")] = False

    def options(self) -> EvaluateOptions:
        """As the pipeline takes them."""
        from wherein.pipelines.evaluation import arms
        from wherein.pipelines.evaluation.confidence import Budgets
        from wherein.pipelines.evaluation.evaluate import EvaluateOptions
        from wherein.pipelines.options import QueryOptions

        if self.golden is None:
            raise usage(
                "Name the golden questions with --golden FILE; `wherein golden make` makes some from the files.",
                kind="usage",
            )
        return EvaluateOptions(
            golden=self.golden,
            arms=tuple(arms.parse(text) for text in self.arms or ()),
            query=QueryOptions(collections=tuple(self.collections or ())),
            limit=self.limit,
            seed=self.seed,
            budgets=Budgets(self.budget_weak, self.budget_none),
        )


@command("evaluate", "Quality")
def evaluate(call: Call, flags: EvaluateFlags) -> int:
    """Measure settings on golden questions, and tell which differences are real."""
    from wherein.pipelines.evaluation.confidence import apply
    from wherein.pipelines.evaluation.evaluate import evaluate as run
    from wherein.pipelines.evaluation.written import write

    if flags.history:
        return show_history(call)
    options = flags.options()
    with progress_bar(call, "questions") as progress:
        done = recorded("evaluate", call, lambda: run(call.workspace, options, progress), str(options.golden))
    done = write(call.workspace, flags.out, done, gated=flags.gate)
    if call.as_json:
        call.document(done.to_json())
    else:
        show(done)
        print_line(f"Report: {one_line(str(done.folder))}")
    call.notes(*done.said)
    if flags.apply:
        call.note(apply(call.workspace, done.confidence, done.index.generations, done.golden.to_json()))
    for regression in done.regressions:
        call.note(f"{regression}: the gate is not passed")
    return done.code


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


def show(done: Evaluation) -> None:
    """The arms, best first below the base, then what was lost in the base."""
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
