"""Real servers that are slow, that go away in the middle of an answer, and that have gone."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.serve import NotInstalled, hfl_server, llama_server
from tasks.models import ServerConfig
from tasks.providers.base import GenerationFailed
from tests.servers.asking import PASSAGES, PROTOCOLS, ask, prompt_over
from tests.support.descendants import descendants, survivors

pytest_plugins = ["tests.support.servers"]
pytestmark = pytest.mark.slow


@dataclass
class Own:
    """A server that a test may stop, with what it started."""

    config: ServerConfig
    before: set[int]

    def send(self, number: signal.Signals) -> set[int]:
        """Send a signal to all of its processes; them."""
        pids = descendants() - self.before
        for pid in sorted(pids):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return pids


@pytest.fixture(params=PROTOCOLS)
def own(request: pytest.FixtureRequest, models_dir: Path) -> Iterator[Own]:
    before = descendants()
    starting = hfl_server if request.param == "ollama" else llama_server
    try:
        with starting(models_dir) as url:
            server = Own(ServerConfig("local", request.param, url, "smollm2"), before)
            yield server
            server.send(signal.SIGCONT)
    except NotInstalled as error:
        pytest.skip(str(error))


def test_a_server_that_stalls_goes_away_and_has_gone_is_told_in_three_sentences(own: Own) -> None:
    prompt = prompt_over(*PASSAGES)
    assert ask(own.config, prompt, max_tokens=2).text

    pieces: list[str] = []

    def stall(text: str) -> None:
        pieces.append(text)
        own.send(signal.SIGSTOP)

    with pytest.raises(GenerationFailed, match=r"synthesis\.timeout_seconds") as failed:
        ask(own.config, prompt, stall, max_tokens=400, timeout_seconds=6.0)
    assert failed.value.kind == "time-out"
    assert pieces, "it had begun"
    own.send(signal.SIGCONT)
    time.sleep(0.2)
    assert ask(own.config, prompt, max_tokens=2).text, "it goes on when the server does"

    def end(_text: str) -> None:
        assert survivors(own.send(signal.SIGKILL)) == set()

    with pytest.raises(GenerationFailed, match="failed") as failed:
        ask(own.config, prompt, end, max_tokens=400)
    assert failed.value.kind == "server-error"

    with pytest.raises(GenerationFailed, match="No model server answers") as failed:
        ask(own.config, prompt)
    assert failed.value.kind == "unreachable"
