"""Which Prefect API the runs of a workspace go to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flows import environment, server
from flows.server import Note, Server
from wherein.workspace import Workspace

if TYPE_CHECKING:
    from flows.states import Finished

_held: list[Server] = []


def running(workspace: Workspace) -> Server | None:
    """The server of this workspace, if one runs; it is then held until this process ends."""
    found = server.find(environment.home(workspace))
    if found is not None:
        _held.append(found)
    return found


def connect(workspace: Workspace, note: Note, found: Server | None = None) -> None:
    """Point Prefect at the API that the settings name, else at the server that runs here, else at one started now.

    Prefect is imported by this, so nothing may have imported it before.
    """
    named = workspace.settings.prefect.api_url
    home = environment.home(workspace)
    if named:
        environment.enter(workspace, named)
        return
    found = found or running(workspace)
    if found is None:
        note(server.announcement(home))
        found = server.start(home)
        _held.append(found)
    environment.enter(workspace, found.api_url)
    import prefect.main  # noqa: F401 - it takes seconds, in which the server starts

    found.wait(home)


@contextmanager
def _settings(retries: int) -> Iterator[None]:
    """No signs of life from flow runs of this process: at its end each would wait a second for the last."""
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None, PREFECT_CLIENT_MAX_RETRIES: retries}):
        yield


def call(flow: Callable[..., Any], parameters: dict[str, Any], note: Note, retries: int = 3) -> Finished | None:
    """What a flow came to, even where Prefect could not be told so; None if it was never begun.

    `retries`: how often an API that is busy or away is asked again, after 2, 4, 8, ... seconds.
    A signal to end is a KeyboardInterrupt.
    """
    from prefect.exceptions import TerminationSignal

    from flows.states import keeping

    with _settings(retries), keeping() as kept:
        try:
            flow(**parameters, return_state=True)
        except TerminationSignal:
            raise KeyboardInterrupt from None
        except Exception as trouble:  # noqa: BLE001 - whatever Prefect has, finished work is not lost for it
            note(f"Prefect had trouble, and may not show this run as it was ({type(trouble).__name__}).")
    return kept[-1] if kept else None
