"""Being told to end while a person is waited for."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator

import pytest

from wherein.cli.ending import Terminated
from wherein.cli.listening import listening

GIVEN_UP_SECONDS = 30.0


@pytest.fixture
def ending() -> Iterator[None]:
    def end(_number: int, _frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    yield
    signal.signal(signal.SIGTERM, before)


def _note(number: int) -> None:
    """What the interpreter does on a signal before any Python code runs for it."""
    fd = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(fd, warn_on_full_buffer=False)
    os.write(fd, bytes([number]))


@pytest.mark.usefixtures("ending")
def test_a_termination_noted_before_the_wait_began_still_ends_the_wait() -> None:
    silent, other = os.pipe()
    try:
        with pytest.raises(Terminated), listening():
            _note(signal.SIGTERM)
            select.select([silent], [], [], GIVEN_UP_SECONDS)
    finally:
        os.close(silent)
        os.close(other)


@pytest.mark.usefixtures("ending")
def test_another_signal_is_not_given_again_and_a_finished_wait_hears_nothing() -> None:
    with listening():
        _note(signal.SIGWINCH)
        _note(signal.SIGTERM)
    assert signal.set_wakeup_fd(-1) == -1
