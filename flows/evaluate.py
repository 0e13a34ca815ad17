"""Evaluate as a Prefect flow; `python -m flows.evaluate --golden FILE` runs it here and now."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from flows.commands import evaluate_command

    sys.exit(evaluate_command())

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows import artifacts, results
from flows.runner import task_runs
from flows.states import Finished, concluded
from wherein.pipelines.evaluation import arms as arm_list
from wherein.pipelines.evaluation.evaluate import EvaluateOptions
from wherein.pipelines.evaluation.evaluate import evaluate as run
from wherein.pipelines.evaluation.evaluation import Evaluation
from wherein.pipelines.evaluation.rows import TARGET
from wherein.pipelines.evaluation.written import ready, write
from wherein.pipelines.options import QueryOptions
from wherein.workspace import Workspace

KEY = "wherein-evaluate"


def _name() -> str:
    return f"evaluate {results.digest(str(flow_run.parameters.get('golden')))}"


@flow(name="evaluate", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def evaluate(
    golden: str,
    arms: list[str] | None = None,
    limit: int | None = None,
    collections: list[str] | None = None,
    out: str | None = None,
    workspace: str | None = None,
    settings: list[str] | None = None,
) -> State[Any]:
    """Measure settings on golden questions, one task run an arm; the report is written to the results folder.

    Args:
        golden: The file of golden questions, relative to the workspace, or a judged folder.
        arms: Settings to measure, each `NAME:KEY=VALUE,…`; by default a small matrix.
        limit: Only the first so many questions.
        collections: Names of the collections to search; all by default.
        out: The folder of the report, instead of one in the results folder.
        workspace: The folder that holds `wherein.toml`; by default the current one, or one above it.
        settings: Settings for this run, such as `retrieval.k=10`.
    """
    chosen = EvaluateOptions(
        golden=Path(golden),
        arms=tuple(arm_list.parse(text) for text in arms or ()),
        query=QueryOptions(collections=tuple(collections or ())),
        limit=limit,
    )
    return concluded(lambda: _evaluate(Workspace.find(workspace, settings or ()), chosen, Path(out) if out else None))


def _evaluate(workspace: Workspace, options: EvaluateOptions, out: Path | None) -> Finished:
    ready(workspace, options, out)
    with task_runs():
        done = run(workspace, options)
    done = write(workspace, out, done)
    artifacts.leave(KEY, artifacts.of_evaluation(done))
    return Finished(0, sentence(done), done)


def sentence(done: Evaluation) -> str:
    """How the evaluation ended, without a word of the files."""
    verdicts = [difference.verdict for difference in done.differences[TARGET].values()]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("better", "worse", "cannot tell"))
    return f"{len(done.golden.questions)} questions in {len(done.measured)} arms; against the base: {counts}."
