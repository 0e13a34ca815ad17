"""The flows of a workspace as served deployments: ingest by the clock, query and compare at call."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.client.schemas.schedules import CronSchedule
from prefect.deployments import arun_deployment
from prefect.deployments.runner import RunnerDeployment
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

from flows import leftovers, schedule
from flows.compare import compare
from flows.ingest import ingest
from flows.query import query
from store.errors import WhereinError
from wherein.workspace import Workspace

Say = Callable[[str], None]
REFRESH = "ingest/ingest"
_POLL_SECONDS = 5
_MOMENT_SECONDS = 0.05


@dataclass(frozen=True)
class Own:
    """A server of this workspace alone: its lease, and when it was started."""

    lease: socket.socket
    began: datetime


class _Runner(Runner):
    """Notes that it is told to stop, and stops once it has started.

    Prefect's own exits wherever the signal finds it before that, and what runs there may swallow the exit.
    """

    def __init__(self) -> None:
        super().__init__(name="wherein", pause_on_shutdown=False, query_seconds=_POLL_SECONDS)
        self.told = asyncio.Event()
        self._serving = asyncio.get_running_loop()

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Being told twice ends it at once."""
        if self.told.is_set():
            sys.exit(0)
        self._serving.call_soon_threadsafe(self.told.set)

    async def stop_when_told(self) -> None:
        await self.told.wait()
        while not self.started:
            await asyncio.sleep(_MOMENT_SECONDS)
        super().handle_sigterm()


async def serve(workspace: Workspace, planned: CronSchedule, own: Own | None, say: Say) -> None:
    """Serve until SIGTERM or SIGINT; runs under way are then cancelled, and waited for.

    Raises WhereinError if the workspace's own server ends before.
    """
    runner = _Runner()
    with _told_by_signals(runner):
        await _prepared(runner, workspace, planned, own, say)
        lost, stop = asyncio.create_task(_lost(own, runner)), asyncio.create_task(runner.stop_when_told())
        try:
            if not runner.told.is_set():
                await runner.start()
        except Exception:
            if not runner.told.is_set():  # else a library took the end for a failure of its own
                raise
        finally:
            stop.cancel()
    if lost.done():
        raise WhereinError("The Prefect server has ended: start again with `wherein up`.", kind="prefect")
    lost.cancel()


@contextmanager
def _told_by_signals(runner: _Runner) -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = [signal.signal(number, runner.handle_sigterm) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, previous, strict=True):
            signal.signal(number, handler)


async def _prepared(runner: _Runner, workspace: Workspace, planned: CronSchedule, own: Own | None, say: Say) -> None:
    """Deployments, and what an earlier session left, in order; the next refresh announced."""
    async with get_client() as client:
        active = await _resumed(client, own)
    for deployment in await deployments(workspace, planned, active):
        await runner.aadd_deployment(deployment)
    await _announce(workspace, planned, active, say)


async def _resumed(client: PrefectClient, own: Own | None) -> bool:
    """Put in order what an earlier session left; False if a person has paused the schedule since."""
    found = await leftovers.known(client, (REFRESH, "query/query", "compare/compare"))
    if own is not None:
        await leftovers.close(client, found, own.began)
    return not leftovers.paused([one for one in found if one.name == "ingest"])


async def _lost(own: Own | None, runner: Runner) -> None:
    """Stop the runner when the server is gone."""
    if own is None:
        await asyncio.Event().wait()
        return
    own.lease.setblocking(False)
    with contextlib.suppress(OSError):
        await asyncio.get_running_loop().sock_recv(own.lease, 1)
    runner.handle_sigterm()


async def _announce(workspace: Workspace, planned: CronSchedule, active: bool, say: Say) -> None:
    """Say when the next refresh is; start one now if a tick was missed."""
    if not active:
        say("The schedule is paused: resume it in Prefect.")
        return
    first = await schedule.first_after(planned, datetime.now(UTC))
    say(f"Next refresh: {schedule.told(first)}")
    if await schedule.overdue(workspace, planned):
        say("A refresh is overdue: it runs now.")
        await arun_deployment(REFRESH, timeout=0, as_subflow=False)


async def deployments(workspace: Workspace, planned: CronSchedule, active: bool) -> list[RunnerDeployment]:
    """A tick of the schedule that finds a refresh under way is cancelled, not queued."""
    given = {"workspace": str(workspace.folder), "settings": list(workspace.overrides)}
    by_module = EntrypointType.MODULE_PATH
    return [
        await ingest.ato_deployment(
            "ingest",
            schedule=Cron(planned.cron, timezone=planned.timezone, active=active, slug=schedule.SLUG),
            concurrency_limit=ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW),
            parameters=given,
            entrypoint_type=by_module,
        ),
        await query.ato_deployment("query", parameters=given, entrypoint_type=by_module),
        await compare.ato_deployment("compare", parameters=given, entrypoint_type=by_module),
    ]
