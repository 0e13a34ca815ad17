"""One writer a collection: a lock that dies with its process."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store import disk
from store.errors import BUSY, WhereinError

_GRACE_SECONDS = 0.1
"""A reader that looks whether the lock is held has it for an instant, and must not be taken for a writer."""
_POLL_SECONDS = 0.02
_NO_LOCKS = frozenset({errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def writing(folder: Path, name: str, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold a collection's write lock; raises (exit 5) if another process still holds it after the wait."""
    from filelock import FileLock, Timeout

    disk.make_folder(folder)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=max(wait_seconds, _GRACE_SECONDS), poll_interval=_POLL_SECONDS)
    except Timeout:
        raise WhereinError(
            f"Collection {name!r} is busy, another process is writing it:"
            " try again later, or wait with --wait SECONDS.",
            kind="busy",
            code=BUSY,
        ) from None
    except OSError as error:
        raise WhereinError(f"Cannot write {folder}: {error.strerror}.", kind="disk") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def rewriting(folder: Path) -> Iterator[None]:
    """Hold a folder while a file of it is read and written anew, so that what another process wrote is not lost.

    It waits for others, leaves no trace, and ends with the process. A file system that knows no such lock holds nobody.
    """
    import fcntl

    disk.make_folder(folder)
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            os.close(opened)
            raise WhereinError(f"Cannot lock {folder}: {error.strerror}.", kind="disk") from error
    try:
        yield
    finally:
        os.close(opened)


def held(folder: Path) -> bool:
    """Whether some process writes the collection now."""
    from filelock import FileLock, Timeout

    if not (folder / "lock").exists():
        return False
    try:
        with FileLock(folder / "lock", timeout=0):
            return False
    except (Timeout, OSError):
        return True
