"""Results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

from wherein.cli.plain import escaped, one_line, visible


def prepare_streams() -> None:
    """Give every run two streams that take any text: a closed one swallows it, a narrow one replaces."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def silence(name: str) -> None:
    """Point a stream whose reader has gone to nowhere, so that the interpreter's own last flush is quiet."""
    stream = getattr(sys, name)
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def reader_has_gone() -> bool:
    """Whether what is written to stdout has nobody to read it."""
    try:
        sys.stdout.flush()
        descriptor = sys.stdout.fileno()
    except BrokenPipeError:
        return True
    except ValueError:
        return False
    # A failed write leaves nothing to flush; the pipe itself still tells.
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def print_json(value: Any) -> None:
    """The one document of a command with --json."""
    utf8 = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write(escaped(text) + "\n")


def print_line(text: str = "") -> None:
    """A line, or several, of a result."""
    sys.stdout.write(visible(text) + "\n")


def print_aside(text: str) -> None:
    """One line to stderr; a reader that has gone there stops nothing."""
    try:
        sys.stdout.flush()
        sys.stderr.write(one_line(text) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        if reader_has_gone():
            raise
        silence("stderr")


def for_people() -> bool:
    """Whether a person watches the notes."""
    return sys.stderr.isatty()
