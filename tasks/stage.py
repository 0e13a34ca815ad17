"""A stage is a plain function that is timed, and that someone else may run."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast

from store.records import StageTime

P = ParamSpec("P")
R = TypeVar("R")
Runner = Callable[[str, Callable[[], Any]], Any]


class Trace:
    """Seconds and items by stage, in order of first start."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._items: dict[str, int] = {}

    def start(self, stage: str) -> None:
        self._seconds.setdefault(stage, 0.0)
        self._items.setdefault(stage, 0)

    def add(self, stage: str, seconds: float, items: int) -> None:
        self.start(stage)
        self._seconds[stage] += seconds
        self._items[stage] += items

    def times(self) -> tuple[StageTime, ...]:
        return tuple(StageTime(name, round(s, 6), self._items[name]) for name, s in self._seconds.items())


def call(_name: str, body: Callable[[], Any]) -> Any:
    """The runner that only calls."""
    return body()


_trace: ContextVar[Trace | None] = ContextVar("trace", default=None)
_runner: ContextVar[Runner] = ContextVar("runner", default=call)
_inside: ContextVar[bool] = ContextVar("inside", default=False)
_labels: ContextVar[Mapping[str, str]] = ContextVar("labels", default=MappingProxyType({}))


@contextmanager
def tracing() -> Iterator[Trace]:
    """Collect the stages that run inside."""
    trace = Trace()
    token = _trace.set(trace)
    try:
        yield trace
    finally:
        _trace.reset(token)


@contextmanager
def within() -> Iterator[Trace]:
    """For a stage that is made of stages: they are timed into a trace of their own, and only called."""
    tokens = _inside.set(False), _runner.set(call)
    try:
        with tracing() as trace:
            yield trace
    finally:
        _inside.reset(tokens[0])
        _runner.reset(tokens[1])


def charge(stage: str, seconds: float, items: int) -> None:
    """Enter what a stage cost when it was run before, where its result is used again."""
    trace = _trace.get()
    if trace is not None:
        trace.add(stage, seconds, items)


@contextmanager
def labelled(**more: str) -> Iterator[None]:
    """What tells the stages run inside from others of the same name, for a runner to show."""
    token = _labels.set({**_labels.get(), **more})
    try:
        yield
    finally:
        _labels.reset(token)


def labels() -> Mapping[str, str]:
    """Those of the stage that is about to run."""
    return _labels.get()


@contextmanager
def running(runner: Runner) -> Iterator[None]:
    """Let `runner(name, body)` call each outermost stage inside."""
    token = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(token)


def _count(result: object) -> int:
    return len(result) if isinstance(result, Sized) and not isinstance(result, str) else 1


def stage(name: str, items: Callable[[Any], int] = _count) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name a function as a stage; `items(result)` says how many things a call worked on."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            if _inside.get():
                return function(*args, **kwargs)
            return cast(R, _runner.get()(name, lambda: _timed(name, items, lambda: function(*args, **kwargs))))

        return timed

    return decorate


def _timed(name: str, items: Callable[[Any], int], body: Callable[[], R]) -> R:
    trace = _trace.get()
    if trace is not None:
        trace.start(name)
    token = _inside.set(True)
    started, done = time.perf_counter(), 0
    try:
        result = body()
        done = items(result)
        return result
    finally:
        _inside.reset(token)
        if trace is not None:
            trace.add(name, time.perf_counter() - started, done)
