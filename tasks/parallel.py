"""Pieces of work on every core, and work ahead of the one who waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """`work` of every item, in the items' order; the threads end with the call, also when it is interrupted."""
    if threads < 2 or len(items) < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(min(threads, len(items)))
    try:
        futures = [pool.submit(work, item) for item in items]
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def ahead(prepare: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """`prepare` of each item in order; while the caller works on one, the next is made ready in a thread.

    The thread sees a copy of the caller's context. Nobody waits for it where the caller stops half way.
    """
    coming: Future[Result] | None = None
    for item in items:
        if coming is None:
            coming = _started(prepare, item)
        else:
            ready = coming.result()
            coming = _started(prepare, item)
            yield ready
    if coming is not None:
        yield coming.result()


def _started(work: Callable[[Item], Result], item: Item) -> Future[Result]:
    from concurrent.futures import Future
    from threading import Thread

    future: Future[Result] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(work, item))
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
