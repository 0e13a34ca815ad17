"""`wherein evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import usage
from wherein.cli.command import Call, command
from wherein.cli.golden import FILE as GOLDEN
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.progress import progress_bar
from wherein.cli.run import recorded

if TYPE_CHECKING:
    from wherein.pipelines.compare import CompareOptions
    from wherein.pipelines.evaluation.evaluate import EvaluateOptions
    from wherein.workspace import Workspace

DEFAULT = "Default: those that `golden make` wrote."


def golden_file(workspace: Workspace, named: Path | None) -> Path:
    """The file named, else what `golden make` wrote; raises WhereinError (exit 2) if there is neither."""
    made = workspace.results / GOLDEN
    if named is None and not made.exists():
        raise usage(
            "Name the golden questions with --golden FILE; `wherein golden make` makes some from the files.",
            kind="usage",
        )
    return named or made


@dataclass(frozen=True)
class EvaluateFlags:
    """What `evaluate` takes."""

    golden: Annotated[
        Path | None,
        typer.Option("--golden", metavar="FILE", help=f"Golden questions: JSON lines, or a judged folder. {DEFAULT}"),
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
    answers: Annotated[
        bool, typer.Option("--answers", help="Measure answers instead: models and temperatures are the arms.")
    ] = False
    models: Annotated[list[str] | None, typer.Option("--model", metavar="NAME", help="With --answers; repeatable.")] = (
        None
    )
    temperatures: Annotated[
        list[float] | None, typer.Option("--temperature", metavar="T", help="With --answers; repeatable.")
    ] = None
    repeat: Annotated[int, typer.Option(metavar="N", min=1, help="With --answers: each so often.")] = 1
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="With --answers: the longest answer.")] = None

    def comparison(self, workspace: Workspace) -> CompareOptions:
        """As the pipeline of answers takes them."""
        from wherein.pipelines.compare import CompareOptions
        from wherein.pipelines.options import QueryOptions

        return CompareOptions(
            query=QueryOptions(collections=tuple(self.collections or ())),
            models=tuple(self.models or (workspace.settings.synthesis.model,)),
            temperatures=tuple(self.temperatures or ()),
            repeat=self.repeat,
            out=self.out,
            max_tokens=self.max_tokens,
        )

    def options(self, workspace: Workspace) -> EvaluateOptions:
        """As the pipeline takes them."""
        from wherein.pipelines.evaluation import arms
        from wherein.pipelines.evaluation.confidence import Budgets
        from wherein.pipelines.evaluation.evaluate import EvaluateOptions
        from wherein.pipelines.options import QueryOptions

        return EvaluateOptions(
            golden=golden_file(workspace, self.golden),
            arms=tuple(arms.parse(text) for text in self.arms or ()),
            query=QueryOptions(collections=tuple(self.collections or ())),
            limit=self.limit,
            seed=self.seed,
            budgets=Budgets(self.budget_weak, self.budget_none),
        )


@command("evaluate", "Quality")
def evaluate(call: Call, flags: EvaluateFlags) -> int:
    """Measure settings on golden questions.

    Tells which differences are real, where answers were lost, and how sure a search can be.
    """
    from wherein.cli.evaluated import show, show_history
    from wherein.pipelines.evaluation.confidence import apply
    from wherein.pipelines.evaluation.evaluate import evaluate as run
    from wherein.pipelines.evaluation.written import ready, write

    if flags.history:
        return show_history(call)
    if flags.answers:
        return _answers(call, flags)
    options = flags.options(call.workspace)
    ready(call.workspace, options, flags.out, gated=flags.gate)
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


def _answers(call: Call, flags: EvaluateFlags) -> int:
    """Golden questions put to models."""
    from wherein.cli.evaluated import show_answers
    from wherein.pipelines.evaluation.answering import evaluate_answers

    golden, options = golden_file(call.workspace, flags.golden), flags.comparison(call.workspace)
    with progress_bar(call, "answers") as progress:
        done = recorded(
            "evaluate",
            call,
            lambda: evaluate_answers(call.workspace, golden, options, flags.limit, progress),
            str(golden),
        )
    report = done.to_json()
    if call.as_json:
        return call.document(report, done.code)
    show_answers(report)
    call.notes(*report["notes"])
    return done.code
