"""The process of a Prefect server: `python -m flows.server_process HOME temporary|lasting`."""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import environment
from flows.server import GREETING, LOG, STATE, TAKEN

if TYPE_CHECKING:
    import uvicorn

_FIRST_LEASE_SECONDS = 60.0
_LINGER_SECONDS = 0.5
_QUIET_SECONDS = 1.0
_UNQUIET_SECONDS = 15.0
_GOODBYE_SECONDS = 5
_IDLE_SERVICES = ("SCHEDULER", "FOREMAN", "PAUSE_EXPIRATIONS", "CANCELLATION_CLEANUP", "REPOSSESSOR")


def listening() -> socket.socket:
    """A socket on a free port of this machine."""
    # The protocol is named, or asyncio leaves Nagle's delay on, and every answer takes 40 ms more.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.bind((environment.LOOPBACK, 0))
    return found


class Leases:
    """Connections of the processes that use the server."""

    def __init__(self) -> None:
        self._listener = listening()
        self._listener.listen()
        self._open: set[socket.socket] = set()
        self.port = int(self._listener.getsockname()[1])

    def wait(self, first_seconds: float = _FIRST_LEASE_SECONDS, linger_seconds: float = _LINGER_SECONDS) -> None:
        """Return once the last one has gone and for a while no other has come."""
        deadline = time.monotonic() + first_seconds
        while self._open or time.monotonic() < deadline:
            ready, _, _ = select.select([self._listener, *self._open], [], [], 0.2)
            if any(self._serve(one) for one in ready):
                deadline = time.monotonic() + linger_seconds

    def _serve(self, one: socket.socket) -> bool:
        """Take a new one in, or let one go that has ended (True)."""
        if one is self._listener:
            fresh, _ = one.accept()
            fresh.sendall(GREETING)
            self._open.add(fresh)
            return False
        try:
            if one.recv(64):
                return False
        except OSError:
            pass
        one.close()
        self._open.discard(one)
        return True


def main(home: Path, lasting: bool) -> int:
    """Serve until nobody uses the server any more; the exit code."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(home / "server.lock", timeout=0):
            (home / STATE).unlink(missing_ok=True)  # of one that was killed
            os.truncate(home / LOG, 0)
            _serve(home, lasting)
    except Timeout:
        return TAKEN
    return 0


def _serve(home: Path, lasting: bool) -> None:
    api, leases = listening(), Leases()
    port = int(api.getsockname()[1])
    state: dict[str, Any] = {"pid": os.getpid(), "port": port, "lease_port": leases.port, "lasting": lasting}
    unused = threading.Event()
    threading.Thread(target=_watch, args=(leases, unused), daemon=True).start()
    _write(home / STATE, state)
    try:
        _configure(port, lasting, home)
        server = _server()
        threading.Thread(target=_end, args=(server, unused, home), daemon=True).start()
        server.run(sockets=[api])
    finally:
        (home / STATE).unlink(missing_ok=True)


def _watch(leases: Leases, unused: threading.Event) -> None:
    leases.wait()
    unused.set()


def _end(server: uvicorn.Server, unused: threading.Event, home: Path) -> None:
    """Stop an unused server when it has written what it was told."""
    unused.wait()
    deadline = time.monotonic() + _UNQUIET_SECONDS
    while time.monotonic() < deadline and _last_write(home) > time.time() - _QUIET_SECONDS:
        time.sleep(0.1)
    server.should_exit = True


def _last_write(home: Path) -> float:
    """When the database was last written, in seconds since the epoch."""
    files = (home / name for name in ("prefect.db", "prefect.db-wal"))
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def _write(path: Path, state: dict[str, Any]) -> None:
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps(state), encoding="utf-8")
    unfinished.replace(path)


def _configure(port: int, lasting: bool, home: Path) -> None:
    own = {
        "PREFECT_SERVER_API_HOST": environment.LOOPBACK,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_UI_ENABLED": str(lasting).lower(),
        "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(home / "pages"),
    }
    if not lasting:
        own |= {f"PREFECT_SERVER_SERVICES_{name}_ENABLED": "false" for name in _IDLE_SERVICES}
    os.environ.update(own)


def _server() -> uvicorn.Server:
    import uvicorn
    from prefect.server.api.server import create_app

    app = create_app(final=True)
    return uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=_GOODBYE_SECONDS)
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] == "lasting"))
