"""What Prefect reads from the environment when it is imported; so this comes first."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from store import disk
from wherein import environment
from wherein.workspace import Workspace

LOOPBACK = "127.0.0.1"
_CHOSEN_BY_THE_USER = ("PREFECT_LOGGING_", *environment.DEFAULTS)
_OF_A_NAMED_API = ("PREFECT_API_", "PREFECT_CLIENT_", "PREFECT_CLOUD_")
_RETENTION_SECONDS = 30 * 86_400

CLIENT = {
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    "PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false",
}
SERVER = {
    # One write for many task runs: with one each, a burst of them locks SQLite, and clients wait for seconds.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",  # whole seconds: the server spins on less
    # Events are four fifths of what a run leaves in the database, and nothing here reads them again.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED": "false",
    "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "flow_runs",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(_RETENTION_SECONDS),
    "PREFECT_SERVER_SERVICES_SCHEDULER_MAX_RUNS": "5",
}


def home(workspace: Workspace) -> Path:
    """Where Prefect keeps everything of a workspace; never the folder that a person's own Prefect uses."""
    return workspace.state / "prefect"


def enter(workspace: Workspace, api_url: str) -> None:
    """Point this process, and those it starts, at one API, with a home of the workspace's own."""
    disk.make_folder(home(workspace))
    named = api_url == workspace.settings.prefect.api_url
    kept = (*_CHOSEN_BY_THE_USER, *(_OF_A_NAMED_API if named else ()))
    own = {**CLIENT, "PREFECT_HOME": str(home(workspace)), "PREFECT_API_URL": api_url}
    settled = without_foreign(os.environ, kept) | own | reachable(os.environ)
    os.environ.clear()
    os.environ.update(settled)


def without_foreign(variables: Mapping[str, str], kept: tuple[str, ...] = _CHOSEN_BY_THE_USER) -> dict[str, str]:
    """The variables without those that would point Prefect elsewhere."""
    return {
        name: value for name, value in variables.items() if not name.startswith("PREFECT_") or name.startswith(kept)
    }


def reachable(variables: Mapping[str, str]) -> dict[str, str]:
    """What keeps a proxy out of the way to this machine, and our packages in reach of a child process."""
    added = {}
    for name in ("NO_PROXY", "no_proxy"):
        listed = [host for host in variables.get(name, "").split(",") if host]
        added[name] = ",".join(dict.fromkeys([*listed, LOOPBACK, "localhost"]))
    return added | packages(variables)


def packages(variables: Mapping[str, str]) -> dict[str, str]:
    """PYTHONPATH with the folder of these packages first, unless they are installed where Python looks anyway."""
    folder = str(Path(__file__).resolve().parents[1])
    listed = [entry for entry in variables.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if folder in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return {}
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys([folder, *listed]))}
