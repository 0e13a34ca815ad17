"""A progress bar, where a terminal shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from wherein.cli.command import Call

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Advance = Callable[[str, int, int], None]


class Bar:
    """Made on the first text embedded: a run without one shows nothing, and loads nothing."""

    def __init__(self, stack: ExitStack, unit: str) -> None:
        self._stack = stack
        self._unit = unit
        self._shown: tuple[Progress, TaskID] | None = None

    def __call__(self, name: str, done: int, expected: int) -> None:
        if self._shown is None:
            self._shown = self._begin(name)
        progress, task = self._shown
        rate = progress.tasks[0].speed
        told = f"{rate:.0f} {self._unit}/s" if rate else ""
        progress.update(task, description=name, completed=done, total=expected, rate=told)

    def _begin(self, name: str) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._stack.enter_context(progress)
        return progress, progress.add_task(name, total=None, rate="")


def _nothing(_name: str, _done: int, _expected: int) -> None:
    return


@contextmanager
def progress_bar(call: Call, unit: str = "texts") -> Iterator[Advance]:
    """What a pipeline reports its progress to, counted in `unit`."""
    with ExitStack() as stack:
        yield Bar(stack, unit) if sys.stderr.isatty() and not call.quiet else _nothing
