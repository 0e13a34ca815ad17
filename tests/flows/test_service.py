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
    """A workspace in which the service runs, or has run."""

    ws: Workspace
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0

    def start(self, until: str = "Next refresh") -> None:
        """Start it, and wait until it has said something."""
        self.starts += 1
        command = [sys.executable, "-m", "wherein", "up"]
        self.process = start(*command, cwd=self.ws.root, home=self.ws.home, log=self._log)
        deadline = time.monotonic() + 120
        while until not in self.said:
            assert self.process.poll() is None, f"it ended\n{self.said}"
            assert time.monotonic() < deadline, f"{until!r} is not in\n{self.said}"
            time.sleep(0.1)

    @property
    def _log(self) -> Path:
        return self.ws.root.parent / f"up-{self.starts}.log"

    @property
    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def signal(self, number: int) -> int:
        """Send a signal to the whole group; the exit code."""
        assert self.process is not None
        os.killpg(self.process.pid, number)
        return self.process.wait(40)

    @property
    def mark(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.ws.state / "up.json").read_text(encoding="utf-8"))
        return found

    @property
    def api(self) -> Api:
        return Api(self.mark["api_url"])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with no server but its own, and with files that are named as our packages are."""
    with open_workspace(tmp_path_factory.mktemp("alone"), FILES) as workspace:
        for name in ("tasks.py", "prefect.py", "store/__init__.py"):
            (workspace.root / name).parent.mkdir(exist_ok=True)
            (workspace.root / name).write_text("raise ImportError('this is not the package')\n", encoding="utf-8")
        yield workspace


@pytest.fixture(scope="module")
def ingested(alone: Workspace) -> Ended:
    """The first run in the workspace, which has to start a server."""
    return flow("ingest", ws=alone).expect(0)


@pytest.fixture(scope="module")
def up(alone: Workspace, ingested: Ended) -> Iterator[Up]:
    alone.configure({"prefect": {"schedule": "0 7 * * *"}, "workspace": {"timezone": "America/New_York"}})
    service = Up(alone)
    try:
        service.start()
        yield service
    finally:
        if service.process is not None and service.process.poll() is None:
            service.signal(signal.SIGKILL)


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
    port = f"{int(up.mark['url'].rpartition(':')[2]):04X}"
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if " 0A " in line]
    assert [address for address in listening if address.endswith(f":{port}")] == [f"0100007F:{port}"]


def test_ad_hoc_runs_of_the_served_flows_answer(up: Up) -> None:
    up.ws.stub.default_answer = "It is seven [1]."
    run = up.api.finished(up.api.start("query", {"question": "pelican code?"}))
    assert run["state_name"] == "Completed", up.said[-3000:]
    (page,) = up.api.artifacts(run["id"])
    assert "It is seven [1]." in page["data"]


def test_a_command_is_recorded_while_it_is_up_without_what_was_asked(up: Up) -> None:
    printed = json.loads(_program(up.ws, "ask", SECRET_QUESTION, "--json", "--no-log").expect(0).stdout)
    assert printed["answer"] == "It is seven [1]."
    run = next(run for run in up.api.flow_runs() if run["name"].startswith("wherein ask "))
    assert run["state_name"] == "Completed"
    assert run["parameters"] == {"digest": run["name"].split()[-1]}
    assert up.api.stages(run["id"], "cite")[-2:] == ["synthesise", "cite"]
    held = b"".join(file.read_bytes() for file in (up.ws.state / "prefect").glob("prefect.db*"))
    assert PLANTED.encode() not in held
    everywhere = [file for top in (up.ws.root, up.ws.home) for file in top.rglob("*") if file.is_file()]
    assert not [file for file in everywhere if b"quagga" in file.read_bytes()], "with --no-log it leaves no trace"


def test_a_command_is_not_recorded_where_the_settings_say_never(up: Up) -> None:
    env = {"WHEREIN_PREFECT__RECORD": "never"}
    ended = python("-P", "-m", "tests.flows.recorded_ask", "pelican code?", ws=up.ws, env=env).expect(0)
    assert not json.loads(ended.stdout)["prefect"]


def test_after_a_crash_in_mid_refresh_the_next_session_refreshes(up: Up) -> None:
    """A run that died with its session must not keep the one place of a refresh."""
    up.ws.write("d.txt", "a note about a cormorant")
    gate = up.ws.stub.hold("embed")
    crashed = up.api.start("ingest")
    gate.wait_reached(90)
    up.signal(signal.SIGKILL)
    gate.release()
    assert not processes_of(up.ws.root)
    up.start()
    assert up.api.flow_run(crashed)["state_type"] == "CRASHED"
    ended = up.api.finished(up.api.start("ingest"))
    assert ended["state_name"] == "Completed", ended["state"]
    assert "1 added" in ended["state"]["message"]


def test_a_schedule_paused_by_hand_stays_paused(up: Up) -> None:
    """Last of those that need it running: it ends the service and starts it again."""
    up.api.post(f"/deployments/{up.api.deployment('ingest')['id']}/pause_deployment")
    assert _program(up.ws, "down").expect(0).stdout == "Ended.\n"
    assert up.process is not None
    assert up.process.wait(30) == 0
    assert not (up.ws.state / "up.json").exists()
    up.start("is paused")
    assert up.api.deployment("ingest")["paused"] or not _active(up.api)
    assert up.signal(signal.SIGINT) == 0
    assert not processes_of(up.ws.root)


def _active(api: Api) -> bool:
    schedules: list[dict[str, Any]] = api.deployment("ingest")["schedules"]
    return any(schedule["active"] for schedule in schedules)


def test_down_says_when_nothing_is_up(tmp_path: Path) -> None:
    with open_workspace(tmp_path) as never_up:
        assert "Nothing is up" in _program(never_up, "down").expect(0).stdout
