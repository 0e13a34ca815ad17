"""An end to work whose length nobody can tell beforehand."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from store.errors import WhereinError


@contextmanager
def ended_after(seconds: float, error: WhereinError) -> Iterator[None]:
    """Raise the error if the block takes longer; 0, and any thread but the main one, know no limit."""
    if not seconds or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
