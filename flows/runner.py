"""Run each stage as a Prefect task run of its name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from prefect import Task, tags
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.logging import get_logger
from prefect.states import Completed, Failed

from flows import limits
from flows.states import sentence
from store.errors import WhereinError
from tasks.stage import labels, running


@dataclass
class _Call:
    """One call of a stage. Arguments, value and error stay here: Prefect is told only how it ended."""

    body: Callable[[], Any]
    done: bool = False
    value: Any = None
    error: Exception | None = None

    def __call__(self) -> State[None]:
        try:
            self.value = self.body()
        except Exception as error:  # noqa: BLE001 - raised again outside of Prefect, by `result`
            self.error = error
        self.done = True
        return Completed() if self.error is None else Failed(message=sentence(self.error))

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


_current: ContextVar[_Call] = ContextVar("current_call")


def _make_call() -> State[None]:
    return _current.get()()


def _keep(record: logging.LogRecord) -> bool:
    """Leave out what the state of a run has told already: an empty traceback, and a failure of our own making."""
    kind = record.exc_info[0] if record.exc_info else None
    if record.exc_info and kind is None:
        record.exc_info = None
    return kind is None or not issubclass(kind, WhereinError)


for _name in ("task_runs", "flow_runs", "engine"):
    get_logger(_name).addFilter(_keep)


@cache
def task(name: str) -> Task[[], State[None]]:
    """The task of a stage: never cached, repeated or persisted."""
    return Task(
        _make_call,
        name=name,
        task_run_name=name,
        cache_policy=NO_CACHE,
        persist_result=False,
        cache_result_in_memory=False,
        retries=0,
        log_prints=False,
    )


def run(home: Path | None, name: str, body: Callable[[], Any]) -> Any:
    """Call a stage's body in a task run, tagged with what is said of it, when it is its turn.

    Where Prefect has trouble, the call goes on without one.
    """
    with limits.turn(home, labels()):
        return _run(name, body)


def _run(name: str, body: Callable[[], Any]) -> Any:
    call = _Call(body)
    token = _current.set(call)
    try:
        with tags(*(f"{label}:{value}" for label, value in labels().items())):
            task(name)(return_state=True)
    except Exception:  # noqa: BLE001 - Prefect's own: those of the stage are kept in the call
        if not call.done:
            call()
    finally:
        _current.reset(token)
    return call.result()


@contextmanager
def task_runs(home: Path | None = None) -> Iterator[None]:
    """Inside, every stage is a task run of the current flow run.

    Runs that share a `home` ask each model server one after another.
    """
    with running(partial(run, home)):
        yield
