"""A command of the command line as a flow run: what it is asked and what it finds never leave this process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from flows import connection, environment
from flows.server import Note, Server
from store.errors import WhereinError
from wherein.workspace import Workspace

R = TypeVar("R")
Code = Callable[[R], int]
_RETRIES = 1
_away: set[Path] = set()


def record(
    name: str,
    workspace: Workspace,
    function: Callable[[], R],
    code: Code[R],
    note: Note,
    found: Server | None = None,
    digest: str = "",
) -> R:
    """Call the function as the flow `name`; if Prefect cannot be reached, call it all the same and note it once.

    `digest` stands for what the command was given, and is all of it that Prefect is told.
    """
    if workspace.folder in _away or not _connected(workspace, note, found):
        return function()
    finished = connection.call(_flow(name, workspace, function, code), {"digest": digest}, note, _RETRIES)
    if finished is None:
        _away.add(workspace.folder)
        return function()
    if finished.error is not None:
        raise finished.error
    value: R = finished.value
    return value


def _connected(workspace: Workspace, note: Note, found: Server | None) -> bool:
    for level in ("PREFECT_LOGGING_LEVEL", "PREFECT_LOGGING_INTERNAL_LEVEL"):
        os.environ.setdefault(level, "CRITICAL")
    try:
        connection.connect(workspace, note, found)
    except WhereinError as error:
        note(f"Not recorded: {error.message}")
        _away.add(workspace.folder)
        return False
    return True


def _flow(name: str, workspace: Workspace, function: Callable[[], R], code: Code[R]) -> Callable[..., object]:
    from prefect import flow
    from prefect.client.schemas.objects import State

    from flows.runner import task_runs
    from flows.states import Finished, concluded

    def work() -> Finished:
        with task_runs(environment.home(workspace)):
            value = function()
        return Finished(code(value), f"`wherein {name}` ended with code {code(value)}.", value)

    @flow(name=name, flow_run_name=f"wherein {name} {{digest}}", retries=0, persist_result=False, log_prints=False)
    def command(digest: str) -> State[object]:
        return concluded(work, traced=False)

    return command
