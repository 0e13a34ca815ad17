"""Ask as a Prefect flow; `python -m flows.query "question"` runs it here and now."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from flows.commands import query_command

    sys.exit(query_command())

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows import artifacts, environment, results
from flows.runner import task_runs
from flows.states import Finished, concluded
from wherein.pipelines.answer import Answer
from wherein.pipelines.ask import AskOptions, ask
from wherein.pipelines.options import QueryOptions
from wherein.workspace import Workspace

KEY = "wherein-query"


def _name() -> str:
    return f"query {results.digest(str(flow_run.parameters.get('question')))}"


@flow(name="query", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def query(
    question: str,
    collections: list[str] | None = None,
    model: str | None = None,
    temperature: float | None = None,
    seed: int | None = None,
    workspace: str | None = None,
    settings: list[str] | None = None,
) -> State[Any]:
    """Answer a question from the files, with citations; the answer is also written to the results folder.

    Args:
        question: What to ask.
        collections: Names of the collections to search; all by default.
        model: Which model answers; by default that of the settings.
        temperature: 0 to 2, sent as given; by default that of the settings.
        seed: Sent as given; by default that of the settings.
        workspace: The folder that holds `wherein.toml`; by default the current one, or one above it.
        settings: Settings for this run, such as `retrieval.k=10`.
    """
    options = AskOptions(QueryOptions(collections=tuple(collections or ())), model, temperature, seed)
    return concluded(lambda: _query(Workspace.find(workspace, settings or ()), question, options))


def _query(workspace: Workspace, question: str, options: AskOptions) -> Finished:
    with task_runs(environment.home(workspace)):
        answer = ask(workspace, question, options)
    results.write_answer(workspace, answer)
    artifacts.leave(KEY, artifacts.of_answer(answer, record_text=workspace.settings.prefect.record_text))
    return Finished(answer.code, sentence(answer), answer)


def sentence(answer: Answer) -> str:
    """How the asking ended, without a word of the files."""
    if answer.failure is not None:
        return f"{answer.model} did not answer ({answer.failure_kind}): the passages found are kept."
    if answer.refused:
        return f"Not in the files, says {'the evidence' if answer.refused_by == 'evidence' else answer.model}."
    return f"Answered by {answer.model} with {len(answer.citations)} citations."
