"""One Prefect server for all tests, and one workspace whose story several tests look at."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flows import server
from tests.flows.api import Api
from tests.flows.running import Ended, Teller
from tests.support.workspace import Workspace, open_workspace

os.environ["PREFECT_HOME"] = tempfile.mkdtemp(prefix="wherein-prefect-")  # importing Prefect makes its home
PLANTED = "quetzalcoatlus"
FILES = {
    "a.txt": f"The pelican code is 7. The {PLANTED} sleeps beside the harbour wall at night.",
    "b.md": "# Garden\n\nTomatoes need water every morning.",
    "c.txt": "The harbour master keeps the boats in order.",
}


@dataclass(frozen=True)
class Orchestrator:
    """The server of the session, and the folder of its database."""

    api: Api
    home: Path

    def holds(self, text: str) -> bool:
        """Whether the bytes of the database hold a text anywhere."""
        files = [self.home / name for name in ("prefect.db", "prefect.db-wal")]
        return any(text.encode() in file.read_bytes() for file in files if file.exists())

    def copy_database(self, home: Path) -> None:
        """A server that starts on the copy need not make one."""
        with (
            contextlib.closing(sqlite3.connect(self.home / "prefect.db")) as known,
            contextlib.closing(sqlite3.connect(home / "prefect.db")) as copy,
        ):
            known.backup(copy)


@pytest.fixture(scope="session")
def orchestrator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orchestrator]:
    home = tmp_path_factory.mktemp("orchestrator")
    running = server.start(home)
    try:
        running.wait(home)
        yield Orchestrator(Api(running.api_url), home)
    finally:
        running.end(home)


@pytest.fixture
def ws(tmp_path: Path, orchestrator: Orchestrator) -> Iterator[Workspace]:
    """A workspace whose runs go to the session's server."""
    with open_workspace(tmp_path, FILES) as workspace:
        workspace.configure({"prefect": {"api_url": orchestrator.api.url}})
        yield workspace


@dataclass(frozen=True)
class Told:
    """A run of a flow module: how the process ended, and its flow run."""

    ended: Ended
    run: dict[str, Any]


Tell = Callable[..., Told]


@pytest.fixture(scope="session")
def teller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Teller]:
    process = Teller(tmp_path_factory.mktemp("teller"))
    yield process
    process.end()


def told(orchestrator: Orchestrator, teller: Teller, workspace: Workspace) -> Tell:
    """Run a flow and find its flow run: the one that was not there before."""

    def tell(name: str, *arguments: str, code: int = 0) -> Told:
        before = {run["id"] for run in orchestrator.api.flow_runs()}
        ended = teller.run(name, *arguments, ws=workspace).expect(code)
        (fresh,) = [run for run in orchestrator.api.flow_runs() if run["id"] not in before]
        return Told(ended, fresh)

    return tell


@pytest.fixture
def tell(orchestrator: Orchestrator, teller: Teller, ws: Workspace) -> Tell:
    return told(orchestrator, teller, ws)


@dataclass(frozen=True)
class Story:
    """A workspace that was ingested, asked and compared once."""

    ws: Workspace
    ingest: Told
    query: Told
    compare: Told


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory, orchestrator: Orchestrator, teller: Teller) -> Iterator[Story]:
    with open_workspace(tmp_path_factory.mktemp("story"), FILES) as workspace:
        workspace.configure({"prefect": {"api_url": orchestrator.api.url}})
        workspace.add_model("second", "stub-second")
        workspace.stub.default_answer = f"It is seven [1]: “The {PLANTED} sleeps beside the harbour wall” [1]."
        tell = told(orchestrator, teller, workspace)
        models = ("--model", "stubchat", "--model", "second")
        yield Story(
            workspace,
            tell("ingest"),
            tell("query", "What is the pelican code?"),
            tell("compare", "What is the pelican code?", *models),
        )
