"""`wherein up`: a Prefect server, the scheduled refresh, and the other flows at call."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows import environment, schedule, server
from flows.server import Server
from store import disk
from store.errors import BUSY, WhereinError
from wherein.workspace import Workspace

Say = Callable[[str], None]
_DOWN_SECONDS = 30.0


def up(workspace: Workspace, say: Say) -> int:
    """Serve until a signal ends it; raises WhereinError (exit 5) if another process does so already."""
    with _alone(workspace):
        named = workspace.settings.prefect.api_url
        if named:
            environment.enter(workspace, named)
            _serve(workspace, named, None, datetime.now(UTC), say)
            return 0
        say(server.announcement(environment.home(workspace)))
        began = datetime.now(UTC)
        running = server.start(environment.home(workspace), lasting=True)
        environment.enter(workspace, running.api_url)
        _serve(workspace, running.api_url, running, began, say)
        running.end(environment.home(workspace))
    return 0


def _serve(workspace: Workspace, api_url: str, running: Server | None, began: datetime, say: Say) -> None:
    from flows.served import Own, serve  # it imports Prefect, which takes seconds, in which the server starts

    planned = schedule.cron(workspace)
    url = api_url.removesuffix("/api")
    if running is not None:
        running.wait(environment.home(workspace))
    with _mark(workspace, url, api_url):
        say(f"Prefect: {url}")
        os.chdir(environment.home(workspace))  # runs start here, where no file can be taken for one of our packages
        asyncio.run(serve(workspace, planned, Own(running.lease, began) if running is not None else None, say))


def down(workspace: Workspace) -> bool:
    """End what `up` started, and wait until it has ended; False if nothing runs."""
    mark = read_mark(workspace)
    if not held(workspace) or mark is None:
        return False
    os.kill(int(mark["pid"]), signal.SIGTERM)
    deadline = time.monotonic() + _DOWN_SECONDS
    while held(workspace):
        if time.monotonic() > deadline:
            raise WhereinError(f"Process {mark['pid']} does not end: try `kill -9 {mark['pid']}`.", kind="prefect")
        time.sleep(0.1)
    return True


def _lock_file(workspace: Workspace) -> Path:
    return workspace.state / "up.lock"


def _mark_file(workspace: Workspace) -> Path:
    return workspace.state / "up.json"


def read_mark(workspace: Workspace) -> dict[str, Any] | None:
    """Process id and address of what runs here, if anything has left its mark."""
    try:
        found: dict[str, Any] = json.loads(_mark_file(workspace).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def held(workspace: Workspace) -> bool:
    """Whether a process serves this workspace now."""
    from filelock import FileLock, Timeout

    if not _lock_file(workspace).exists():
        return False
    try:
        with FileLock(_lock_file(workspace), timeout=0):
            return False
    except Timeout:
        return True


@contextmanager
def _alone(workspace: Workspace) -> Iterator[None]:
    from filelock import FileLock, Timeout

    disk.make_folder(workspace.state)
    lock = FileLock(_lock_file(workspace), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        mark = read_mark(workspace) or {"pid": "?", "url": "no address yet"}
        raise WhereinError(
            f"It is up already (process {mark['pid']}, {mark['url']}): end it with `wherein down`.",
            kind="busy",
            code=BUSY,
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _mark(workspace: Workspace, url: str, api_url: str) -> Iterator[None]:
    file = _mark_file(workspace)
    disk.write_file(file, [json.dumps({"pid": os.getpid(), "url": url, "api_url": api_url}).encode()])
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
