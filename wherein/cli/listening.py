"""Waiting for a person to type, without missing that the program was told to end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

REPEATED_SECONDS = 0.2


@contextmanager
def listening() -> Iterator[None]:
    """Around a read from the terminal: a SIGTERM that comes just before it begins is given again until it is heard.

    Python only notes a signal; the read it would interrupt may not have begun, and then waits for a key for ever.
    """
    noted, note = os.pipe()
    os.set_blocking(note, False)
    heard = threading.Event()
    before = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    threading.Thread(target=_repeat, args=(noted, heard), daemon=True).start()
    try:
        yield
    finally:
        heard.set()
        signal.set_wakeup_fd(before)
        os.close(note)


def _repeat(noted: int, heard: threading.Event) -> None:
    """Until the end of the pipe: each SIGTERM in it is sent to the main thread until that has `heard`."""
    with os.fdopen(noted, "rb", buffering=0) as signals:
        while arrived := signals.read(1):
            while arrived[0] == signal.SIGTERM and not heard.wait(REPEATED_SECONDS):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
