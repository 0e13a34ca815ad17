"""A stream that is given up when its first piece, or its end, is too long in coming."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


class TooLate(Exception):
    """`setting` is the limit that was passed."""

    def __init__(self, setting: str) -> None:
        super().__init__(setting)
        self.setting = setting


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None = None


class _Work(Generic[T]):
    """Reads a stream in a thread of its own, since a read cannot be given up from inside."""

    def __init__(self, produce: Callable[[], Iterator[T]]) -> None:
        self.items: queue.SimpleQueue[T | _End] = queue.SimpleQueue()
        self.stopped = threading.Event()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run, produce), daemon=True)
        self._thread.start()

    def _run(self, produce: Callable[[], Iterator[T]]) -> None:
        end = _End()
        try:
            for item in produce():
                self.items.put(item)
                if self.stopped.is_set():
                    break
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits for it
            end = _End(error)
        self.items.put(end)


def bounded(
    produce: Callable[[], Iterator[T]],
    abort: Callable[[], None],
    *,
    first_seconds: float,
    until: float,
) -> Iterator[T]:
    """The items of `produce()`; TooLate after `first_seconds` without one, or at `until` (monotonic clock).

    `abort` ends the stream from outside; it is called however the iteration ends.
    """
    work: _Work[T] = _Work(produce)
    limit, setting = _earlier(time.monotonic() + first_seconds, until)
    try:
        while True:
            try:
                item = work.items.get(timeout=max(0.0, limit - time.monotonic()))
            except queue.Empty:
                raise TooLate(setting) from None
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            limit, setting = until, "timeout_seconds"
            yield item
    finally:
        work.stopped.set()
        abort()


def _earlier(first: float, until: float) -> tuple[float, str]:
    return (first, "first_token_seconds") if first <= until else (until, "timeout_seconds")
