"""Ingest as a Prefect flow; `python -m flows.ingest [COLLECTION...]` runs it here and now."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from flows.commands import ingest_command

    sys.exit(ingest_command())

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows import artifacts
from flows.runner import task_runs
from flows.states import Finished, combined, concluded
from store.errors import WhereinError
from wherein.pipelines.ingest import IngestReport
from wherein.pipelines.ingest import ingest as run
from wherein.pipelines.plan import IngestOptions
from wherein.workspace import Workspace

KEY = "wherein-ingest"
Outcome = IngestReport | WhereinError


def _name() -> str:
    return f"ingest {', '.join(flow_run.parameters.get('collections') or ()) or 'all'}"


@flow(name="ingest", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def ingest(
    collections: list[str] | None = None,
    workspace: str | None = None,
    settings: list[str] | None = None,
    verify: bool = False,
    rebuild: bool = False,
    forget: bool = False,
    allow_deletes: bool = False,
    wait_seconds: float = 0.0,
) -> State[Any]:
    """Bring the index of some collections, or of all, up to their folders.

    Args:
        collections: Names of collections; all by default.
        workspace: The folder that holds `wherein.toml`; by default the current one, or one above it.
        settings: Settings for this run, such as `chunking.size=200`.
        verify: Read every file again, whatever its time says.
        rebuild: Build the index anew, from remembered embeddings.
        forget: With `rebuild`: embed every text again.
        allow_deletes: Go on although most files are gone.
        wait_seconds: Wait so long for another writer to end.
    """
    options = IngestOptions(False, verify, rebuild, forget, allow_deletes, wait_seconds)
    return concluded(lambda: _ingest(Workspace.find(workspace, settings or ()), collections or (), options))


def _ingest(workspace: Workspace, collections: list[str] | tuple[()], options: IngestOptions) -> Finished:
    with task_runs():
        outcomes = {name: _one(workspace, name, options) for name in workspace.names(collections)}
    artifacts.leave(KEY, artifacts.of_ingest(outcomes))
    code = combined([outcome.code for outcome in outcomes.values()])
    alone = next(iter(outcomes.values())) if len(outcomes) == 1 else None
    error = alone if isinstance(alone, WhereinError) else None
    return Finished(code, " ".join(_sentence(*item) for item in outcomes.items()), outcomes, error)


def _one(workspace: Workspace, name: str, options: IngestOptions) -> Outcome:
    """The report of a collection, or why there is none: an error of one does not stop the others."""
    try:
        return run(workspace, name, options)
    except WhereinError as error:
        return error


def _sentence(name: str, outcome: Outcome) -> str:
    if isinstance(outcome, WhereinError):
        return outcome.message
    files = ", ".join(f"{count} {event}" for event, count in outcome.files.items() if count) or "no files"
    return f"{name}: {files}, generation {outcome.generation}."
