"""What is waited for, told on a terminal while nothing comes."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tasks.stage import running
from wherein.cli.command import Call
from wherein.cli.plain import one_line

PATIENCE_SECONDS = 2.0
"""Before the first word of it: most of what is waited for comes sooner."""
EACH_SECONDS = 1.0


class Waiting:
    """One line on stderr that says which stage runs and for how long, until `end`."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._stage = ""
        self._since = time.monotonic()
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._width = 0
        threading.Thread(target=self._tell, daemon=True).start()

    def runner(self, name: str, body: Callable[[], Any]) -> Any:
        """Runs a stage, and remembers which."""
        self._stage, self._since = name, time.monotonic()
        return body()

    def end(self) -> None:
        """Nothing is waited for any more; what was told is wiped."""
        with self._writing:
            if not self._over.is_set():
                self._over.set()
                self._write("")

    def _tell(self) -> None:
        if self._over.wait(PATIENCE_SECONDS):
            return
        while not self._over.is_set():
            with self._writing:
                if not self._over.is_set():
                    self._write(self._line())
            self._over.wait(EACH_SECONDS)

    def _line(self) -> str:
        what = self._names.get(self._stage, self._stage) or "starting"
        told = one_line(f"{time.monotonic() - self._since:.0f} s: {what}")
        return told[: shutil.get_terminal_size().columns - 1]

    def _write(self, line: str) -> None:
        """Over what stood there: a terminal need know no more than a carriage return."""
        if self._width or line:
            sys.stderr.write(f"\r{line.ljust(self._width)}" + ("\r" if not line else ""))
            sys.stderr.flush()
        self._width = len(line)


@contextmanager
def waiting(call: Call, **names: str) -> Iterator[Callable[[], None]]:
    """Tells a person at a terminal what is waited for; `names`: what a stage is called. The callback ends it."""
    if call.quiet or call.as_json or not sys.stderr.isatty():
        yield lambda: None
        return
    told = Waiting(names)
    try:
        with running(told.runner):
            yield told.end
    finally:
        told.end()
