"""One answer from a model: what it refuses is left out, a wait it asks for is kept, the rest is an error."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tasks.models import ServerConfig
from tasks.providers import failure
from tasks.providers.base import Fault, Generation, GenerationRequest, Piece, Provider, Seconds, Usage
from tasks.providers.deadline import TooLate, bounded
from tasks.providers.reasoning import Visible

MOST_WAITS = 3
LONGEST_WAIT_SECONDS = 60.0
REFUSABLE = ("temperature", "seed", "max_tokens", "stream_options")
CONTROLS = frozenset(["temperature", "seed"])

MOST_CHARACTERS_PER_TOKEN = 64
"""Longer than any run of text that tokens of today stand for: a server that sends more does not count them."""

Emit = Callable[[str], None]
N = TypeVar("N", int, float)


@dataclass(slots=True)
class _Answer:
    """What has arrived so far; `room` is how many characters more may come."""

    visible: Visible = field(default_factory=Visible)
    first_token_seconds: float | None = None
    last: Piece = field(default_factory=Piece)
    room: int = 0
    cut: bool = False

    def fitted(self, piece: Piece) -> Piece:
        """The piece, or what of it the answer has room for."""
        room, self.room = self.room, self.room - len(piece.text)
        self.cut = self.room < 0
        return replace(piece, text=piece.text[:room]) if self.cut else piece

    def add(self, piece: Piece, started: float) -> str:
        shown = self.visible.feed(piece.text)
        if shown and self.first_token_seconds is None:
            self.first_token_seconds = time.monotonic() - started
        self.last = Piece(
            prompt_tokens=_newer(piece.prompt_tokens, self.last.prompt_tokens),
            completion_tokens=_newer(piece.completion_tokens, self.last.completion_tokens),
            load_seconds=_newer(piece.load_seconds, self.last.load_seconds),
            finish_reason=piece.finish_reason or self.last.finish_reason,
            device=piece.device or self.last.device,
        )
        return shown


def complete(provider: Provider, server: ServerConfig, request: GenerationRequest, emit: Emit) -> Generation:
    """Ask until the model answers or fails for good; raises GenerationFailed."""
    started = time.monotonic()
    until = started + request.timeout_seconds
    omit: frozenset[str] = frozenset()
    notes: list[str] = []
    waits = 0
    while True:
        answer = _Answer(room=request.max_tokens * MOST_CHARACTERS_PER_TOKEN)
        try:
            _read(answer, _pieces(provider, request, omit, until), started, emit)
            return _generation(server, answer, started, omit, (*notes, *_waited(waits)))
        except TooLate as late:
            raise failure.too_late(server, request, late.setting) from None
        except Fault as fault:
            refused = refused_parameter(fault, request, omit)
            if answer.visible.answer or (refused is None and fault.status != 429):
                raise failure.explained(server, fault) from fault
            if refused is not None:
                omit |= {refused}
                notes.append(_omission(server, request, refused))
            else:
                _wait(provider, server, fault, waits, until)
                waits += 1


def _read(answer: _Answer, pieces: Iterator[Piece], started: float, emit: Emit) -> None:
    for piece in pieces:
        _show(answer.add(answer.fitted(piece), started), emit)
        if answer.cut:
            break
    _show(answer.visible.end(), emit)


def _pieces(provider: Provider, request: GenerationRequest, omit: frozenset[str], until: float) -> Iterator[Piece]:
    return bounded(
        lambda: provider.stream(request, omit),
        provider.abort,
        first_seconds=request.first_token_seconds,
        until=until,
    )


def _show(text: str, emit: Emit) -> None:
    if text:
        emit(text)


def refused_parameter(fault: Fault, request: GenerationRequest, omit: frozenset[str]) -> str | None:
    """The parameter the server will not take, if it was sent and can be left out or renamed."""
    if fault.status not in (400, 422):
        return None
    for name in REFUSABLE:
        if name in omit or (name in CONTROLS and getattr(request, name) is None):
            continue
        word = "max_completion_tokens" if name == "max_tokens" else name
        named = fault.parameter == name and name != "max_tokens"
        if named or (fault.parameter in (None, name) and re.search(rf"\b{word}\b", fault.text[:300])):
            return name
    return None


def _omission(server: ServerConfig, request: GenerationRequest, name: str) -> str:
    if name == "max_tokens":
        return f"{server.name} takes max_completion_tokens instead of max_tokens and was asked again."
    if name == "stream_options":
        return f"{server.name} refuses stream_options and was asked again without it: tokens are not counted."
    return f"{server.name} refuses {name} {getattr(request, name)} and was asked again without it."


def _waited(waits: int) -> tuple[str, ...]:
    return (f"The model server asked to wait (429); the request was repeated {waits} times.",) if waits else ()


def _wait(provider: Provider, server: ServerConfig, fault: Fault, waits: int, until: float) -> None:
    """Sleep as long as the server says, or 1, 2, 4 s; raises GenerationFailed where that is too long or often."""
    seconds = wait_seconds(provider.retry_after(), waits)
    if waits == MOST_WAITS or seconds > LONGEST_WAIT_SECONDS or time.monotonic() + seconds > until:
        raise failure.explained(server, fault) from fault
    time.sleep(seconds)


def wait_seconds(retry_after: str | None, waits: int) -> float:
    """Seconds to wait: a Retry-After header holds a number or a date."""
    if retry_after is None:
        return float(2**waits)
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return float(2**waits)


def _generation(
    server: ServerConfig, answer: _Answer, started: float, omit: frozenset[str], notes: tuple[str, ...]
) -> Generation:
    last = answer.last
    cut = ("The answer ends where synthesis.max_tokens ended it.",) if last.finish_reason == "length" else ()
    if last.finish_reason is None and answer.visible.answer:
        cut = ("The answer may be cut: the server did not say that it had ended.",)
    if answer.cut:
        cut = ("The answer was cut: the server sent more than synthesis.max_tokens tokens can be.",)
    return Generation(
        answer.visible.answer,
        Usage(last.prompt_tokens, last.completion_tokens, cost(server, last)),
        Seconds(last.load_seconds, answer.first_token_seconds, time.monotonic() - started),
        not omit & CONTROLS,
        (*notes, *cut),
        last.finish_reason,
        last.device,
    )


def cost(server: ServerConfig, piece: Piece) -> float | None:
    """Price of the tokens counted; None without prices or counts."""
    if None in (server.price_in, server.price_out, piece.prompt_tokens, piece.completion_tokens):
        return None
    spent = (piece.prompt_tokens or 0) * (server.price_in or 0) + (piece.completion_tokens or 0) * (
        server.price_out or 0
    )
    return round(spent / 1e6, 8)


def _newer(new: N | None, old: N | None) -> N | None:
    return old if new is None else new
