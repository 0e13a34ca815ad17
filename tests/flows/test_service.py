"""`wherein up` and `wherein down`, and commands while it runs; with a server of the workspace's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.flows.api import Api
from tests.flows.conftest import FILES, PLANTED
from tests.flows.running import Ended, flow, processes_of, python, start
from tests.support.workspace import Workspace, open_workspace

SECRET_QUESTION = "Where does the quagga graze?"


@dataclass
class Up:
    """A workspace in which the service runs."""

    ws: Workspace
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, text: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.said:
            assert self.process.poll() is None, f"it ended\n{self.said}"
            assert time.monotonic() < deadline, f"{text!r} is not in\n{self.said}"
            time.sleep(0.1)

    @property
    def api(self) -> Api:
        mark = json.loads((self.ws.state / "up.json").read_text(encoding="utf-8"))
        return Api(mark["api_url"])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with no server but its own."""
    with open_workspace(tmp_path_factory.mktemp("alone"), FILES) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def ingested(alone: Workspace) -> Ended:
    """The first run in the workspace, which has to start a server."""
    return flow("ingest", ws=alone).expect(0)


@pytest.fixture(scope="module")
def up(alone: Workspace, ingested: Ended) -> Iterator[Up]:
    alone.configure({"prefect": {"schedule": "0 7 * * *"}, "workspace": {"timezone": "America/New_York"}})
    log = alone.root.parent / "up.log"
    command = [sys.executable, "-m", "wherein", "up"]
    service = Up(alone, start(*command, cwd=alone.root, home=alone.home, log=log), log)
    try:
        service.wait_for("Next refresh")
        yield service
    finally:
        if service.process.poll() is None:
            os.killpg(service.process.pid, signal.SIGKILL)
            service.process.wait(10)


def _program(ws: Workspace, *arguments: str) -> Ended:
    return python("-m", "wherein", *arguments, ws=ws)


def test_a_run_without_a_server_starts_one_says_so_and_keeps_to_the_workspace(
    alone: Workspace, ingested: Ended
) -> None:
    assert "3 added" in ingested.stdout
    assert "Starting a Prefect server" in ingested.stderr
    assert (alone.state / "prefect" / "prefect.db").exists()
    assert not list(alone.home.iterdir())


def test_nothing_is_left_running_and_every_task_run_was_written_down(alone: Workspace, ingested: Ended) -> None:
    """Read from the file: the server has gone."""
    import sqlite3

    assert not processes_of(alone.root)
    with sqlite3.connect(alone.state / "prefect" / "prefect.db") as database:
        rows = database.execute("SELECT name, state_type FROM task_run ORDER BY start_time").fetchall()
    names = [name for name, state in rows if state == "COMPLETED"]
    assert names == ["scan", "diff", "read", "split", "embed", "write", "publish"]


def test_up_says_its_address_and_the_next_run_in_the_zone_of_the_workspace(up: Up) -> None:
    assert "Prefect: http://127.0.0.1:" in up.said
    line = next(line for line in up.said.splitlines() if line.startswith("Next refresh"))
    assert " 07:00 -0" in line
    assert "(America/New_York)" in line


def test_the_schedule_is_not_run_when_it_is_not_due(up: Up) -> None:
    assert "overdue" not in up.said


def test_a_second_up_says_so(up: Up) -> None:
    ended = _program(up.ws, "up").expect(5)
    assert "up already" in ended.stderr


def test_the_service_listens_on_this_machine_only(up: Up) -> None:
    mark = json.loads((up.ws.state / "up.json").read_text(encoding="utf-8"))
    port = f"{int(mark['url'].rpartition(':')[2]):04X}"
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if " 0A " in line]
    assert [address for address in listening if address.endswith(f":{port}")] == [f"0100007F:{port}"]


def test_ad_hoc_runs_of_the_served_flows_answer(up: Up) -> None:
    up.ws.stub.default_answer = "It is seven [1]."
    run = up.api.finished(up.api.start("query", {"question": "pelican code?"}))
    assert run["state_name"] == "Completed", up.said[-3000:]
    (page,) = up.api.artifacts(run["id"])
    assert "It is seven [1]." in page["data"]


def test_a_command_is_recorded_while_it_is_up_without_what_was_asked(up: Up) -> None:
    printed = json.loads(python("-m", "tests.flows.recorded_ask", SECRET_QUESTION, ws=up.ws).expect(0).stdout)
    assert printed["answer"] == "It is seven [1]."
    run = next(run for run in up.api.flow_runs() if run["name"] == "wherein ask d1g357")
    assert run["state_name"] == "Completed"
    assert run["parameters"] == {"digest": "d1g357"}
    assert up.api.stages(run["id"], "cite")[-2:] == ["synthesise", "cite"]
    held = b"".join(file.read_bytes() for file in (up.ws.state / "prefect").glob("prefect.db*"))
    assert b"quagga" not in held
    assert PLANTED.encode() not in held


def test_a_command_is_not_recorded_where_the_settings_say_never(up: Up) -> None:
    env = {"WHEREIN_PREFECT__RECORD": "never"}
    ended = python("-m", "tests.flows.recorded_ask", "pelican code?", ws=up.ws, env=env).expect(0)
    assert not json.loads(ended.stdout)["prefect"]


def test_a_schedule_paused_by_hand_stays_paused(up: Up) -> None:
    """Kept last of those that need it running: it ends the service and starts it again."""
    refresh = up.api.deployment("ingest")
    up.api.post(f"/deployments/{refresh['id']}/pause_deployment")
    assert _program(up.ws, "down").expect(0).stdout == "Ended.\n"
    assert up.process.wait(30) == 0
    assert not (up.ws.state / "up.json").exists()
    command = [sys.executable, "-m", "wherein", "up"]
    again = Up(up.ws, start(*command, cwd=up.ws.root, home=up.ws.home, log=up.log), up.log)
    try:
        again.wait_for("is paused")
        assert again.api.deployment("ingest")["paused"] or not _active(again.api)
    finally:
        os.killpg(again.process.pid, signal.SIGINT)
        assert again.process.wait(40) == 0
    assert not processes_of(up.ws.root)


def _active(api: Api) -> bool:
    schedules: list[dict[str, Any]] = api.deployment("ingest")["schedules"]
    return any(schedule["active"] for schedule in schedules)


def test_down_says_when_nothing_is_up(alone: Workspace) -> None:
    assert "Nothing is up" in _program(alone, "down").expect(0).stdout
