"""Compare as a Prefect flow; `python -m flows.compare "question" --model A --model B` runs it here and now."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from flows.commands import compare_command

    sys.exit(compare_command())

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows import artifacts, environment, results
from flows.runner import task_runs
from flows.states import Finished, concluded
from wherein.cli.compared import model_line
from wherein.cli.output import print_aside
from wherein.pipelines.compare import CompareOptions, Comparison
from wherein.pipelines.compare import compare as run
from wherein.pipelines.compare_plan import Plan
from wherein.pipelines.options import QueryOptions
from wherein.workspace import Workspace

KEY = "wherein-compare"


def _name() -> str:
    return f"compare {results.digest(*map(str, flow_run.parameters.get('questions') or ()))}"


@flow(name="compare", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def compare(
    questions: list[str],
    models: list[str],
    temperatures: list[float] | None = None,
    repeat: int = 1,
    seed: int | None = None,
    collections: list[str] | None = None,
    out: str | None = None,
    workspace: str | None = None,
    settings: list[str] | None = None,
) -> State[Any]:
    """Ask several models the same, on the same passages; the report is written to the results folder.

    Args:
        questions: What to ask.
        models: Which models answer.
        temperatures: 0 to 2, sent as given; by default that of the settings.
        repeat: How often each answers, with seeds counting up.
        seed: The first seed; by default that of the settings.
        collections: Names of the collections to search; all by default.
        out: The folder of the report, instead of one in the results folder.
        workspace: The folder that holds `wherein.toml`; by default the current one, or one above it.
        settings: Settings for this run, such as `retrieval.k=10`.
    """
    options = CompareOptions(
        QueryOptions(collections=tuple(collections or ())),
        tuple(models),
        tuple(temperatures or ()),
        repeat,
        Path(out) if out else None,
        seed=seed,
    )
    return concluded(lambda: _compare(Workspace.find(workspace, settings or ()), questions, options))


def _compare(workspace: Workspace, questions: list[str], options: CompareOptions) -> Finished:
    with task_runs(environment.home(workspace)):
        done = run(workspace, questions, options, before=_priced)
    artifacts.leave(KEY, artifacts.of_comparison(done, record_text=workspace.settings.prefect.record_text))
    return Finished(done.code, sentence(done), done)


def _priced(found: Plan) -> None:
    """Say what a run may cost before it asks, unless nothing has a price."""
    for one in found.models if found.price else ():
        print_aside(model_line(one))


def sentence(done: Comparison) -> str:
    """How the comparison ended, without a word of the files."""
    answers = [answer for one in done.questions for answer in one.answers]
    counts = {status: sum(a.status == status for a in answers) for status in ("ok", "failed", "empty", "refused")}
    told = ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "none, for lack of evidence"
    return f"Answers: {told}."
