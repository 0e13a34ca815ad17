"""One request at a time to a model server, by all runs of a workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def turn(home: Path | None, labels: Mapping[str, str]) -> Iterator[None]:
    """Wait until no other run asks the server that the labels name; the lock of a process dies with it.

    Prefect's own limits are not used for that: a slot that a killed run held would stay taken.
    """
    server = labels.get("server")
    if home is None or server is None:
        yield
        return
    from filelock import FileLock

    folder = home / "servers"
    lock = FileLock(folder / hashlib.sha256(server.encode()).hexdigest()[:16])
    with suppress(OSError):  # where no lock can be made, the server queues by itself
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
