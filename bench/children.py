"""Processes that end with the one that started them."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def child(
    command: Sequence[str], stop: Callable[[subprocess.Popen[bytes]], None], env: Mapping[str, str], **options: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """A started process; `stop` is called with it at the end, however that comes.

    A signal that arrives while the process is being started is held back until `stop` is sure to know it.
    """
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)

    def restore() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)

    try:
        # No thread runs yet; the mask would be the child's for good.
        process = subprocess.Popen(command, env=env, preexec_fn=restore, **options)  # noqa: PLW1509
    except BaseException:
        restore()
        raise
    try:
        restore()
        yield process
    finally:
        stop(process)
