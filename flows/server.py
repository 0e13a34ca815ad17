"""The Prefect server of a workspace: found where one runs, else started; it ends with the last process that uses it."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flows import environment
from store import disk
from store.errors import WhereinError

STATE = "server.json"
LOG = "server.log"
GREETING = b"wherein prefect server\n"
TAKEN = 75
START_SECONDS = 240.0
_END_SECONDS = 10.0
Note = Callable[[str], None]


@dataclass(frozen=True)
class Server:
    """A running server. It lives as long as some process holds a lease: a connection that ends with its process."""

    port: int
    lasting: bool
    lease: socket.socket

    @property
    def url(self) -> str:
        return f"http://{environment.LOOPBACK}:{self.port}"

    @property
    def api_url(self) -> str:
        return f"{self.url}/api"

    def healthy(self) -> bool:
        connection = http.client.HTTPConnection(environment.LOOPBACK, self.port, timeout=5)
        try:
            connection.request("GET", "/api/health")
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait(self, home: Path, seconds: float = START_SECONDS) -> None:
        """Wait until it answers; raises WhereinError if it ends or takes too long."""
        deadline = time.monotonic() + seconds
        while not self.healthy():
            if time.monotonic() > deadline or not (home / STATE).exists():
                raise _did_not_start(home)
            time.sleep(0.1)

    def end(self, home: Path, seconds: float = _END_SECONDS) -> None:
        """Give the lease back, and wait a while for the server to end; another lease may keep it."""
        self.lease.close()
        deadline = time.monotonic() + seconds
        while (home / STATE).exists() and time.monotonic() < deadline:
            time.sleep(0.1)


def announcement(home: Path) -> str:
    """What to say before a server is started here: making its database takes longer than anything else."""
    new = not (home / "prefect.db").exists()
    return f"Starting a Prefect server{'; this first time it takes up to a minute' if new else ''}."


def find(home: Path) -> Server | None:
    """The server that runs on this home, if one does."""
    try:
        state = json.loads((home / STATE).read_text(encoding="utf-8"))
        lease = socket.create_connection((environment.LOOPBACK, int(state["lease_port"])), timeout=5)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        if lease.recv(len(GREETING), socket.MSG_WAITALL) == GREETING:
            return Server(int(state["port"]), bool(state["lasting"]), lease)
    except OSError:
        pass
    lease.close()
    return None


def start(home: Path, *, lasting: bool = False, seconds: float = START_SECONDS) -> Server:
    """The server of this home, started if need be; it may not answer yet (`wait`).

    `lasting`: with its scheduler and pages; one that was started without them is waited out.
    """
    disk.make_folder(home)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = find(home) or _launch(home, lasting, deadline)
        if found is not None and (found.lasting or not lasting):
            return found
        if found is not None:
            found.lease.close()
        time.sleep(0.5)
    raise _did_not_start(home)


def _launch(home: Path, lasting: bool, deadline: float) -> Server | None:
    """Start a server process and find it; None if another one was quicker, or has yet to end."""
    variables = environment.without_foreign(os.environ) | environment.SERVER | environment.reachable(os.environ)
    command = [sys.executable, "-P", "-m", "flows.server_process", str(home), "lasting" if lasting else "temporary"]
    with (home / LOG).open("ab") as log:
        process = subprocess.Popen(
            command, cwd=home, env={**variables, "PREFECT_HOME": str(home)}, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    while time.monotonic() < deadline:
        found = find(home)
        code = process.poll()
        if found is not None or code == TAKEN:
            return found
        if code is not None:
            break
        time.sleep(0.05)
    raise _did_not_start(home)


def _did_not_start(home: Path) -> WhereinError:
    return WhereinError(f"The Prefect server did not start: see {home / LOG} for its reason.", kind="prefect")
