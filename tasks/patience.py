"""What a server's failure means, and how long to bear it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

Result = TypeVar("Result")

TRIES = 4
LONGEST_WAIT_SECONDS = 60.0
_ABOUT_INPUT = frozenset({400, 413, 422, 500})
_BUSY = frozenset({408, 425, 429, 502, 503, 504, 529})
_SAID_CHARACTERS = 200


class Fault(Exception):
    """A request that failed.

    `about_input`: another input may succeed at the same server. `fickle`: so may the same input, once more.
    `tries`: how often the request is made in all. `wait_seconds`: how long the server asks to wait.
    """

    def __init__(
        self,
        reason: str,
        *,
        about_input: bool = False,
        fickle: bool = False,
        tries: int = 1,
        wait_seconds: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.about_input = about_input
        self.fickle = fickle
        self.tries = tries
        self.wait_seconds = wait_seconds


def lost(reason: str) -> Fault:
    """No connection, or one that broke: tried once more, since a kept connection may just have gone stale."""
    return Fault(reason, tries=2, wait_seconds=0.5)


def malformed(reason: str) -> Fault:
    """An answer of status 200 that cannot be used."""
    return Fault(reason, about_input=True, fickle=True)


def refusal(status: int, said: str, retry_after: str | None = None) -> Fault:
    """An answer with another status; `said` is the server's own text."""
    said = " ".join(said.split())[:_SAID_CHARACTERS]
    reason = f"the server answered {status}" + (f": {said}" if said else "")
    if status in _ABOUT_INPUT:
        return Fault(reason, about_input=True, fickle=status == 500)
    if status in _BUSY:
        return Fault(reason, tries=TRIES, wait_seconds=_seconds(retry_after))
    return Fault(reason)


def patiently(call: Callable[[], Result], sleep: Callable[[float], None], most: int = TRIES) -> Result:
    """`call`, again after a wait where that may help; the last Fault is raised."""
    attempt = 1
    while True:
        try:
            return call()
        except Fault as fault:
            wait = 2.0 ** (attempt - 1) if fault.wait_seconds is None else fault.wait_seconds
            if wait > LONGEST_WAIT_SECONDS:
                raise Fault(f"{fault.reason} (it asks to wait {wait:.0f} seconds)") from fault
            if attempt >= min(fault.tries, most):
                raise
        sleep(wait)
        attempt += 1


def _seconds(retry_after: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None
