"""A progress bar, where a terminal shows it."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Protocol

from wherein.cli.command import Call

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

WINDOW_SECONDS = 30.0


class Advance(Protocol):
    """Told of every step; `share` of the work that is done, where it is not that of the units."""

    def __call__(self, name: str, done: int, expected: int, share: float | None = None, /) -> None: ...


class Pace:
    """How fast the work went of late, and how long the rest takes at that pace."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int, float]] = deque()

    def note(self, done: int, share: float) -> None:
        """So many units, which are such a share of the work, are done now."""
        now = self._clock()
        self._seen.append((now, done, share))
        while len(self._seen) > 2 and self._seen[1][0] <= now - WINDOW_SECONDS:
            self._seen.popleft()

    @property
    def units_per_second(self) -> float | None:
        return self._slope(1)

    @property
    def remaining_seconds(self) -> float | None:
        """None until something was done."""
        pace = self._slope(2)
        return (1 - self._seen[-1][2]) / pace if pace else None

    def _slope(self, column: int) -> float | None:
        if not self._seen or self._seen[-1][0] <= self._seen[0][0]:
            return None
        first, last = self._seen[0], self._seen[-1]
        return max(0.0, (last[column] - first[column]) / (last[0] - first[0]))


class Bar:
    """Made on the first text to embed: a run without one shows nothing, and loads nothing."""

    def __init__(self, stack: ExitStack, unit: str) -> None:
        self._stack = stack
        self._unit = unit
        self._shown: tuple[Progress, TaskID] | None = None
        self._name = ""
        self.pace = Pace()

    def __call__(self, name: str, done: int, expected: int, share: float | None = None) -> None:
        if self._shown is None:
            self._shown = self._begin(name)
        progress, task = self._shown
        if name != self._name:
            self._name, self.pace = name, Pace()
        self.pace.note(done, done / max(1, expected) if share is None else share)
        told = said(self.pace, self._unit)
        progress.update(task, description=name, completed=done, total=expected, pace=told)

    def _begin(self, name: str) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._stack.enter_context(progress)
        return progress, progress.add_task(name, total=None, pace="")


def said(pace: Pace, unit: str = "texts") -> str:
    """`31 texts/s, 0:02:10 left`; nothing while nothing is known."""
    rate, seconds = pace.units_per_second, pace.remaining_seconds
    if not rate or seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    pace_told = f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"{pace_told} {unit}/s, {minutes // 60}:{minutes % 60:02}:{rest:02} left"


def _nothing(_name: str, _done: int, _expected: int, _share: float | None = None) -> None:
    return


@contextmanager
def progress_bar(call: Call, unit: str = "texts") -> Iterator[Advance]:
    """What a pipeline reports its progress to, counted in `unit`."""
    with ExitStack() as stack:
        yield Bar(stack, unit) if sys.stderr.isatty() and not call.quiet else _nothing
