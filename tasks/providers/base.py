"""What goes to a model and what comes back, whoever provides it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from store.errors import WhereinError


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One request. None for `temperature` or `seed` sends none; `num_ctx` and `keep_alive` are Ollama's.

    `least_tokens` is a lower bound of the prompt's tokens; `question` and `passages` serve providers without
    an LLM, in the order of the markers.
    """

    messages: tuple[dict[str, str], ...]
    temperature: float | None
    seed: int | None
    max_tokens: int
    num_ctx: int
    keep_alive: str
    first_token_seconds: float
    timeout_seconds: float
    least_tokens: int = 0
    question: str = ""
    passages: tuple[str, ...] = ()


MOST_TOKENS = 10**9
_HALF = re.compile("[\ud800-\udfff]")


def counted(value: object) -> int | None:
    """A count as a server gave it; None for what cannot be one, which is no reason to lose an answer."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < MOST_TOKENS and value == int(value) else None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a streamed answer; a piece without text still shows that the model is at work."""

    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    load_seconds: float | None = None
    finish_reason: str | None = None
    device: str | None = None

    def __post_init__(self) -> None:
        """Raises TypeError: the fields come from a server, which may send anything. Half a character is replaced."""
        if not isinstance(self.text, str):
            raise TypeError("a piece of an answer is not what it should be")
        object.__setattr__(self, "text", _HALF.sub("\ufffd", self.text))
        object.__setattr__(self, "prompt_tokens", counted(self.prompt_tokens))
        object.__setattr__(self, "completion_tokens", counted(self.completion_tokens))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; `cost` in the currency of the model's prices."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Seconds:
    """`load` as the server says; `first_token` and `total` from the start of the request."""

    load: float | None = None
    first_token: float | None = None
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Generation:
    """An answer. Not `controlled` if the model refused the temperature or the seed; `device` as the server says."""

    text: str
    usage: Usage = Usage()
    seconds: Seconds = Seconds()
    controlled: bool = True
    notes: tuple[str, ...] = ()
    finish_reason: str | None = None
    device: str | None = None


class GenerationFailed(WhereinError):
    """`kind` is "unreachable", "model-missing", "server-error" or "time-out"."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, kind=kind)


class Fault(Exception):
    """What a provider met: no connection (`status` 0), an error status, or a broken stream (`status` -1).

    `parameter` is the one a server says it refuses.
    """

    def __init__(self, status: int, text: str, parameter: str | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.parameter = parameter


class Provider(Protocol):
    """Streams one request at a time."""

    def stream(self, request: GenerationRequest, omit: frozenset[str]) -> Iterator[Piece]:
        """The answer without the parameters named in `omit`; raises Fault."""
        ...

    def retry_after(self) -> str | None:
        """The Retry-After header of the last response."""
        ...

    def abort(self) -> None:
        """End the request from another thread."""
        ...
