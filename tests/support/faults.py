"""What a model server can do wrong, and when."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Seen:
    """One request that reached the server."""

    kind: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    seconds: float
    ordinal: int
    answered: bool = False
    connection: tuple[str, int] = ("", 0)

    @property
    def model(self) -> str:
        """The model the request names."""
        return str(self.body.get("model", ""))

    @property
    def texts(self) -> list[str]:
        """The inputs of an embedding request."""
        given = self.body.get("input", [])
        return [given] if isinstance(given, str) else [str(text) for text in given]

    @property
    def prompt(self) -> str:
        """All messages of a chat request, joined."""
        return "\n".join(str(message.get("content", "")) for message in self.body.get("messages", []))


@dataclass(frozen=True)
class Fault:
    """What becomes of a request: an error status, a delay, silence, or a cut connection."""

    status: int = 0
    message: str = "the stub was told to fail"
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    hang: bool = False
    cut_after_pieces: int | None = None


Rule = Callable[[Seen], Fault | None]


def always(fault: Fault) -> Rule:
    """The fault, on every request."""
    return lambda seen: fault


def every(nth: int, fault: Fault) -> Rule:
    """The fault on the nth request of its kind, the 2nth, the 3nth, …"""
    return lambda seen: fault if seen.ordinal % nth == 0 else None


def after(good: int, fault: Fault) -> Rule:
    """The fault on every request but the first few."""
    return lambda seen: fault if seen.ordinal > good else None


def only_for(model: str, fault: Fault) -> Rule:
    """The fault on every request for one model."""
    return lambda seen: fault if seen.model == model else None


def throttled(retry_after_seconds: int = 1) -> Fault:
    """429 with a Retry-After header."""
    return Fault(429, "rate limit reached", "rate_limit_exceeded", {"Retry-After": str(retry_after_seconds)})


class Gate:
    """Holds requests of one kind, from the given one on, until it is released."""

    def __init__(self, kind: str, first: int) -> None:
        self.kind = kind
        self.first = first
        self.reached = threading.Event()
        self._open = threading.Event()

    def pass_through(self, seen: Seen) -> None:
        """Block the request if it is one of those to hold."""
        if seen.kind == self.kind and seen.ordinal >= self.first:
            self.reached.set()
            self._open.wait(300)

    def wait_reached(self, seconds: float = 60) -> None:
        """Wait until a held request has arrived."""
        if not self.reached.wait(seconds):
            raise TimeoutError(f"no {self.kind} request number {self.first} within {seconds} s")

    def release(self) -> None:
        """Let everything pass from now on."""
        self._open.set()
