"""Whether a command is recorded in Prefect, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from wherein.cli.output import print_aside

if TYPE_CHECKING:
    from flows.server import Server
    from wherein.workspace import Workspace

R = TypeVar("R")
LONG = frozenset({"ingest", "compare", "evaluate"})
"""Commands that take long enough to start a Prefect server for; others are recorded where one runs."""


def recorded(
    name: str,
    workspace: Workspace,
    function: Callable[[], R],
    code: Callable[[R], int] = lambda value: int(getattr(value, "code", 0)),
    note: Callable[[str], None] = print_aside,
    digest: str = "",
) -> R:
    """Call the function, as a flow run if the settings and circumstances say so.

    `code` is the exit code of a result; `digest` stands for what the command was given.
    """
    mode = workspace.settings.prefect.record
    if mode == "never" or (mode == "auto" and not is_up(workspace)):
        return function()
    found = _running(workspace)
    if found is None and not workspace.settings.prefect.api_url and (mode == "auto" or name not in LONG):
        return function()
    from flows.recorded import record

    return record(name, workspace, function, code, note, found, digest)


def is_up(workspace: Workspace) -> bool:
    """Whether `wherein up` has left its mark in this workspace; after a crash the mark may stay."""
    return (workspace.state / "up.json").exists()


def _running(workspace: Workspace) -> Server | None:
    from flows import connection

    return connection.running(workspace)
