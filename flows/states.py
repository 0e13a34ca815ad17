"""How a run ends: exit codes as Prefect states, errors as one sentence."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed, Failed

from store.errors import BUSY, FAILED, NOT_FOUND, PARTIAL, WhereinError
from wherein.cli.ending import INTERRUPTED

COMPLETED = {0: "Completed", PARTIAL: "Partial", NOT_FOUND: "NotFound"}


@dataclass(frozen=True)
class Finished:
    """What a run came to: its value, the exit code of the same command, and one sentence for the state.

    `error`: why there is no value.
    """

    code: int
    message: str
    value: Any = None
    error: BaseException | None = None

    def state(self) -> State[Any]:
        """0, 3, 4 are Completed, under their names; 5 and an interruption are Cancelled; all else has Failed."""
        if self.code in COMPLETED:
            return Completed(name=COMPLETED[self.code], message=self.message, data=self.value)
        if self.code in (BUSY, INTERRUPTED):
            return Cancelled(message=self.message)
        # Prefect logs what it finds here, traceback and all: never an error whose words may be a file's.
        return Failed(message=self.message, data=WhereinError(self.message, kind="flow", code=self.code))


_kept: ContextVar[list[Finished] | None] = ContextVar("kept", default=None)


@contextmanager
def keeping() -> Iterator[list[Finished]]:
    """Collect what the flows run inside came to, whatever Prefect then makes of it."""
    found: list[Finished] = []
    token = _kept.set(found)
    try:
        yield found
    finally:
        _kept.reset(token)


def concluded(work: Callable[[], Finished], *, traced: bool = True) -> State[Any]:
    """Do the work of a flow; every way it can end, but a signal of Prefect's own, becomes a state.

    `traced`: an error that nobody foresaw is shown on stderr with the place it came from.
    """
    finished = _finish(work, traced)
    kept = _kept.get()
    if kept is not None:
        kept.append(finished)
    return finished.state()


def _finish(work: Callable[[], Finished], traced: bool) -> Finished:
    try:
        return work()
    except WhereinError as error:
        return Finished(error.code, error.message, error=error)
    except KeyboardInterrupt as error:
        return Finished(INTERRUPTED, "Interrupted: what was finished is kept.", error=error)
    except Exception as error:  # noqa: BLE001 - told in the state
        if traced:
            traceback.print_exception(error, file=sys.stderr)
        return Finished(FAILED, sentence(error), error=error)


def sentence(error: BaseException) -> str:
    """What to say of an error where no text of a file may appear: its own sentence, else its kind and place."""
    if isinstance(error, WhereinError):
        return error.message
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"Unexpected {type(error).__name__}{place}."


def combined(codes: list[int]) -> int:
    """The code of several collections: what all ended with, else partial."""
    return codes[0] if len(set(codes)) == 1 else PARTIAL
