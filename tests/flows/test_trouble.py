"""What goes wrong around a run: Prefect away, processes in parallel or killed, folders with names like ours."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from flows import server
from tests.flows.conftest import FILES, Orchestrator, Story
from tests.flows.running import flow, processes_of, python, start, wait
from tests.support.faults import Gate
from tests.support.workspace import Workspace, open_workspace, tree_bytes

AWAY = {"WHEREIN_PREFECT__RECORD": "always", "WHEREIN_PREFECT__API_URL": "http://127.0.0.1:9/api"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, orchestrator: Orchestrator) -> Iterator[Workspace]:
    """A workspace with a server of its own, whose database is a copy: making one takes long."""
    with open_workspace(tmp_path_factory.mktemp("own"), FILES) as workspace:
        workspace.stub.default_answer = "It is seven [1]."
        home = workspace.state / "prefect"
        home.mkdir(parents=True)
        orchestrator.copy_database(home)
        yield workspace


def test_the_same_search_works_inside_an_asynchronous_flow(story: Story) -> None:
    printed = json.loads(python("-m", "tests.flows.async_search", "pelican code", ws=story.ws).expect(0).stdout)
    assert printed["plain"][0]["path"] == "a.txt"
    assert printed["inside"] == printed["plain"]
    assert printed["beside"] == printed["plain"]


def test_a_command_does_its_work_when_prefect_is_away(story: Story) -> None:
    ended = python("-m", "tests.flows.recorded_ask", "pelican code?", ws=story.ws, env=AWAY).expect(0)
    assert json.loads(ended.stdout)["answer"] == story.ws.stub.default_answer
    assert ended.stderr.count("note: ") == 1


def test_flows_side_by_side_share_one_server(own: Workspace) -> None:
    own.ingest()
    own.write("d.txt", "one more note about a cormorant")
    commands = [("flows.ingest",), *(("flows.query", f"pelican code {number}?") for number in range(3))]
    running = [start(sys.executable, "-m", *command, cwd=own.root, home=own.home) for command in commands]
    for ended in [wait(process, 150) for process in running]:
        ended.expect(0)
        assert "locked" not in ended.stdout + ended.stderr
    assert not processes_of(own.root)


def test_a_command_keeps_its_result_when_the_server_dies_meanwhile(own: Workspace) -> None:
    own.configure({"prefect": {"record": "always"}})
    holder = start(sys.executable, "-m", "flows.query", "pelican code?", cwd=own.root, home=own.home)
    state = own.state / "prefect" / "server.json"
    deadline = time.monotonic() + 60
    while not state.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    ask = start(sys.executable, "-m", "tests.flows.recorded_ask", "pelican code?", "5", cwd=own.root, home=own.home)
    assert ask.stderr is not None
    first = ask.stderr.readline()
    os.kill(json.loads(state.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
    ended = wait(ask, 120).expect(0)
    assert first == b"dwelling\n"
    assert json.loads(ended.stdout)["answer"] == "It is seven [1]."
    assert ended.stderr.count("note: ") == 1
    holder.kill()
    holder.communicate()


def test_a_killed_run_takes_its_server_with_it_and_an_interrupted_one_ends_at_once(own: Workspace) -> None:
    """With one line and no later request; the next run does the rest."""
    own.write("e.txt", "one more note about a heron")
    running, gate = _held(own)
    running.kill()
    running.communicate()
    gate.release()
    assert not processes_of(own.root)
    running, gate = _held(own)
    os.killpg(running.pid, signal.SIGINT)
    ended = wait(running, 60)
    sent = len(own.stub.requests("embed"))
    gate.release()
    assert ended.code == 130
    assert "Traceback" not in ended.stderr
    assert not processes_of(own.root)
    assert len(own.stub.requests("embed")) == sent
    assert own.ingest()["files"]["added"] == 1


def _held(own: Workspace) -> tuple[subprocess.Popen[bytes], Gate]:
    """A run that waits for its embeddings."""
    gate = own.stub.hold("embed")
    running = start(sys.executable, "-m", "flows.ingest", cwd=own.root, home=own.home)
    gate.wait_reached(120)
    return running, gate


def test_runs_without_a_change_leave_little_behind(own: Workspace) -> None:
    assert not processes_of(own.root)
    before = tree_bytes(own.state)
    _ingest_with_one_server(own, runs=2)
    assert tree_bytes(own.state) - before < 2 * 200_000


def test_runs_older_than_a_month_are_forgotten(own: Workspace) -> None:
    database = own.state / "prefect" / "prefect.db"
    with contextlib.closing(sqlite3.connect(database)) as written, written:
        written.execute("UPDATE flow_run SET end_time = '2020-01-01 00:00:00.000000' WHERE end_time IS NOT NULL")
    _ingest_with_one_server(own, runs=1)
    with contextlib.closing(sqlite3.connect(database)) as read:
        (old,) = read.execute("SELECT count(*) FROM flow_run WHERE end_time < '2021'").fetchone()
        (pages,) = read.execute("SELECT count(*) FROM artifact").fetchone()
    assert (old, pages) == (0, 1)


def _ingest_with_one_server(own: Workspace, runs: int) -> None:
    """Ingest some times without waiting for a server each time; in the end it has gone."""
    home = own.state / "prefect"
    running = server.start(home)
    running.wait(home)
    for _ in range(runs):
        flow("ingest", ws=own).expect(0)
    running.end(home, 30)
    assert not processes_of(own.root)
