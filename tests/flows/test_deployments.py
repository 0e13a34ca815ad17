"""The deployments of prefect.yaml, run by a process worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import FILES, PLANTED, Orchestrator
from tests.flows.running import prefect, prefect_command, start
from tests.support.workspace import Workspace, open_workspace

POOL = "wherein"
KEY = "sk-never-to-be-seen-again"


@dataclass(frozen=True)
class Deployed:
    """A workspace whose deployments a worker serves; `log` is what the worker and its runs print."""

    ws: Workspace
    log: Path


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory, orchestrator: Orchestrator) -> Iterator[Deployed]:
    """Deployed from the project's folder, for a workspace elsewhere that holds a tasks.py of its own."""
    folder = tmp_path_factory.mktemp("deployed")
    with open_workspace(folder, FILES) as ws:
        ws.configure({"chunking": {"size": 480, "overlap": 0}})
        ws.add_model("keyed", "stub-chat", api_key_env="KEY_OF_THE_TEST")
        ws.configure({"synthesis": {"model": "keyed"}})
        (ws.root / "tasks.py").write_text("raise ImportError('this is not the package')\n", encoding="utf-8")
        own = {"PREFECT_HOME": str(folder / "cli"), "PREFECT_API_URL": orchestrator.api.url, "DO_NOT_TRACK": "1"}
        own |= {"WHEREIN_WORKSPACE": str(ws.root), "PYTHONPATH": "", "KEY_OF_THE_TEST": KEY}
        own |= {"PREFECT_WORKER_QUERY_SECONDS": "1"}
        prefect("work-pool", "create", "--type", "process", POOL, home=ws.home, env=own)
        prefect("--no-prompt", "deploy", "--all", home=ws.home, env=own)
        command = prefect_command(["worker", "start", "--pool", POOL])
        worker = start(*command, cwd=ws.root, home=ws.home, env=own, log=folder / "worker.log")
        try:
            yield Deployed(ws, folder / "worker.log")
        finally:
            worker.terminate()
            worker.wait(30)


def _ended(deployed: Deployed, orchestrator: Orchestrator, run_id: str) -> dict[str, Any]:
    try:
        return orchestrator.api.finished(run_id)
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{deployed.log.read_text(errors='replace')[-4000:]}") from error


def test_deployments_carry_schedule_zone_and_the_rule_against_overlap(
    deployed: Deployed, orchestrator: Orchestrator
) -> None:
    refresh = orchestrator.api.deployment("ingest")
    (schedule,) = refresh["schedules"]
    assert (schedule["schedule"]["cron"], schedule["active"]) == ("0 * * * *", True)
    assert schedule["schedule"]["timezone"]
    assert refresh["global_concurrency_limit"]["limit"] == 1
    assert refresh["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"
    assert refresh["entrypoint"] == "flows.ingest.ingest"
    assert refresh["parameters"] == {"workspace": str(deployed.ws.root)}
    for name in ("query", "compare"):
        assert orchestrator.api.deployment(name)["schedules"] == []


def test_a_worker_ingests_a_large_text_and_answers_from_it(deployed: Deployed, orchestrator: Orchestrator) -> None:
    """The text is over what Prefect would take as a parameter."""
    ws, api = deployed.ws, orchestrator.api
    line = "ordinary words stand in line {} of a rather long text about thing{}.\n"
    ws.write("big.txt", "".join(line.format(n, n % 997) + ("\n" if n % 9 == 0 else "") for n in range(9_000)))
    assert (ws.notes / "big.txt").stat().st_size > 600_000
    ingested = _ended(deployed, orchestrator, api.start("ingest"))
    assert (ingested["state_type"], ingested["state_name"]) == ("COMPLETED", "Completed")
    ws.stub.default_answer = f"“The {PLANTED} sleeps beside the harbour wall” [1]."
    asked = _ended(deployed, orchestrator, api.start("query", {"question": "pelican code?", "temperature": 0.1}))
    assert asked["state_name"] == "Completed"
    assert asked["parameters"] == {"workspace": str(ws.root), "question": "pelican code?", "temperature": 0.1}
    (page,) = api.artifacts(asked["id"])
    assert "`a.txt:1`" in page["data"]
    assert api.stages(asked["id"], "cite")[-3:] == ["prompt", "synthesise", "cite"]
    assert ws.stub.requests("chat")[-1].headers["Authorization"] == f"Bearer {KEY}"
    for secret in (PLANTED, KEY):
        assert not orchestrator.holds(secret)
        assert secret not in deployed.log.read_text(errors="replace")


def test_a_wrong_parameter_fails_the_run_with_one_sentence_in_the_log(
    deployed: Deployed, orchestrator: Orchestrator
) -> None:
    ended = _ended(
        deployed, orchestrator, orchestrator.api.start("compare", {"questions": ["?"], "models": ["nobody"]})
    )
    assert ended["state_type"] == "FAILED"
    assert "'nobody'" in ended["state"]["message"]
    assert "Traceback" not in deployed.log.read_text(errors="replace")


def test_a_refresh_that_finds_one_under_way_is_cancelled_and_a_cancelled_one_leaves_the_rest_to_the_next(
    deployed: Deployed, orchestrator: Orchestrator
) -> None:
    ws, api = deployed.ws, orchestrator.api
    ws.write("new.txt", "something that is new and has to be embedded")
    gate = ws.stub.hold("embed")
    first = api.start("ingest")
    gate.wait_reached(90)
    second = _ended(deployed, orchestrator, api.start("ingest"))
    assert second["state_type"] == "CANCELLED"
    assert "limit" in second["state"]["message"]
    assert second["total_run_time"] == 0
    api.post(f"/flow_runs/{first}/set_state", {"state": {"type": "CANCELLING"}, "force": False})
    assert _ended(deployed, orchestrator, first)["state_type"] == "CANCELLED"
    gate.release()
    ended = _ended(deployed, orchestrator, api.start("ingest"))
    assert ended["state_name"] == "Completed"
    assert "added" in ended["state"]["message"]
    states = {file["path"]: file["state"] for file in ws.run("files", "--json").expect(0).json}
    assert states["new.txt"] == "indexed"
