"""What an earlier session of the service left in its server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterDeploymentId,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
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


async def close(client: PrefectClient, deployments: Sequence[DeploymentResponse]) -> None:
    """Put in order what the earlier session had under way and ahead of it.

    A run whose process died with its session would hold the one place of a refresh for ever; ticks that have passed
    since would all run now.
    """
    for run in await _runs(client, deployments, _UNDER_WAY):
        gone: State[None] = Crashed(message="The process of this run ended with an earlier session.")
        await client.set_flow_run_state(run.id, gone, force=True)
    for run in await _runs(client, deployments, [StateType.SCHEDULED]):
        due = run.next_scheduled_start_time
        if run.auto_scheduled and due is not None and due < datetime.now(UTC):
            await client.delete_flow_run(run.id)
    for deployment in deployments:
        limit = deployment.global_concurrency_limit
        if limit is not None:
            await client.update_global_concurrency_limit(limit.name, GlobalConcurrencyLimitUpdate(active_slots=0))


async def _runs(
    client: PrefectClient, deployments: Sequence[DeploymentResponse], states: list[StateType]
) -> list[FlowRun]:
    if not deployments:
        return []
    return await client.read_flow_runs(
        flow_run_filter=FlowRunFilter(
            deployment_id=FlowRunFilterDeploymentId(any_=[deployment.id for deployment in deployments]),
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=states)),
        )
    )


def paused(deployments: Sequence[DeploymentResponse]) -> bool:
    """Whether a person has paused one of them, or its schedule."""
    return any(one.paused or any(not schedule.active for schedule in one.schedules) for one in deployments)
