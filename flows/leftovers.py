"""What an earlier session of the service left in its server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterState, FlowRunFilterStateType
from prefect.client.schemas.objects import State, StateType
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound
from prefect.states import Crashed

_UNDER_WAY = [StateType.PENDING, StateType.RUNNING, StateType.CANCELLING]


async def known(client: PrefectClient, names: Sequence[str]) -> list[DeploymentResponse]:
    """The deployments of these names (FLOW/DEPLOYMENT) that are there already."""
    found = []
    for name in names:
        try:
            found.append(await client.read_deployment_by_name(name))
        except ObjectNotFound:
            continue
    return found


async def close(client: PrefectClient, deployments: Sequence[DeploymentResponse], began: datetime) -> None:
    """Put in order what was under way or ahead when the server ended; it began anew at `began`.

    A run whose process died with its session would hold the one place of a refresh for ever; ticks that have passed
    since would all run now.
    """
    for run in await client.read_flow_runs(flow_run_filter=_in(_UNDER_WAY)):
        if run.start_time is None or run.start_time < began:
            gone: State[None] = Crashed(message="The process of this run ended with an earlier session.")
            await client.set_flow_run_state(run.id, gone, force=True)
    for run in await client.read_flow_runs(flow_run_filter=_in([StateType.SCHEDULED])):
        due = run.next_scheduled_start_time
        if run.auto_scheduled and due is not None and due < datetime.now(UTC):
            await client.delete_flow_run(run.id)
    for deployment in deployments:
        limit = deployment.global_concurrency_limit
        if limit is not None:
            await client.update_global_concurrency_limit(limit.name, GlobalConcurrencyLimitUpdate(active_slots=0))


def _in(states: list[StateType]) -> FlowRunFilter:
    return FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=states)))


def paused(deployments: Sequence[DeploymentResponse]) -> bool:
    """Whether a person has paused one of them, or its schedule."""
    return any(one.paused or any(not schedule.active for schedule in one.schedules) for one in deployments)
