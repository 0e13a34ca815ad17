"""The one error that reaches a person."""

from __future__ import annotations

FAILED = 1
USAGE = 2
PARTIAL = 3
NOT_FOUND = 4
BUSY = 5
GATE = 6


class WhereinError(Exception):
    """What failed, the value, and the way out, in one sentence; `code` is the exit code of a command."""

    def __init__(self, message: str, *, kind: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.code = code


def usage(message: str, kind: str = "settings") -> WhereinError:
    """A wrong command or setting, found before work starts."""
    return WhereinError(message, kind=kind, code=USAGE)
