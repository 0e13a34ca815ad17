"""What Prefect adds to a run: `python -m bench.flow_overhead`. Prints JSON; seconds, medians where there are several.

A server in a temporary home, as flows.server starts it; flows that do nothing, tasks that do nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows import environment, server
from wherein.schema import Settings
from wherein.workspace import Workspace

REPEATS = 7
TASKS = 50


def seconds(function: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The median of some calls, after one that does not count."""
    function()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return round(statistics.median(times), 4)


def start(workspace: Workspace) -> tuple[server.Server, float]:
    """A server that answers, and how long that took."""
    started = time.perf_counter()
    running = server.start(environment.home(workspace))
    running.wait(environment.home(workspace))
    return running, round(time.perf_counter() - started, 2)


def measure() -> dict[str, float]:
    """Flows of every kind, with and without tasks. Prefect is imported here."""
    started = time.perf_counter()
    import prefect.main  # noqa: F401
    from prefect import flow
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    found = {"import_prefect": round(time.perf_counter() - started, 2)}
    from flows.runner import run, task_runs

    def body(count: int) -> None:
        with task_runs():
            for _ in range(count):
                run("scan", lambda: None)

    @flow(persist_result=False)
    def plain(count: int) -> None:
        body(count)

    @flow(persist_result=False)
    async def asynchronous(count: int) -> None:
        await asyncio.to_thread(body, count)

    found["sync_flow_with_heartbeats"] = seconds(lambda: plain(0), 3)
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        found["sync_flow"] = seconds(lambda: plain(0))
        found["sync_flow_of_9_tasks"] = seconds(lambda: plain(9))
        found["task"] = round((seconds(lambda: plain(TASKS)) - found["sync_flow"]) / TASKS, 5)
        found["async_flow"] = seconds(lambda: asyncio.run(asynchronous(0)))
        found["async_flow_of_9_tasks"] = seconds(lambda: asyncio.run(asynchronous(9)))
    return found


def main() -> int:
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder), Settings())
        running, fresh = start(workspace)
        running.end(environment.home(workspace), 30)
        running, again = start(workspace)
        environment.enter(workspace, running.api_url)
        found = {"load": os.getloadavg()[0], "server_first_start": fresh, "server_start": again, **measure()}
        running.end(environment.home(workspace), 30)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
