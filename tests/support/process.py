"""Running the program as a process of its own, in a clean environment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.forked import Forked, request

PROJECT = Path(__file__).resolve().parents[2]
_FOREIGN = ("OPENAI", "OLLAMA", "PREFECT", "WHEREIN", "XDG_", "ANTHROPIC", "AZURE", "PYTEST_")
_PROXIES = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"}


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    args: tuple[str, ...]
    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        try:
            return json.loads(self.stdout)
        except ValueError as error:
            raise AssertionError(f"stdout is not one JSON document ({error})\n{self}") from error

    @property
    def said(self) -> str:
        """Everything printed, lower-cased."""
        return (self.stdout + self.stderr).lower()

    def expect(self, *codes: int) -> Result:
        """The same result, if it ended with one of the codes."""
        assert self.code in codes, f"exit {self.code}, expected {codes}\n{self}"
        return self

    def __str__(self) -> str:
        return (
            f"$ wherein {' '.join(self.args)}\nexit {self.code}\n"
            f"--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-4000:]}"
        )


def clean_environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without anything that could steer the program, plus the given."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(_FOREIGN) and name.lower() not in _PROXIES and name != "NO_COLOR"
    }
    kept |= {"HOME": str(home), "PYTHONPATH": str(PROJECT)}
    return kept | dict(extra or {})


class Background:
    """A run that goes on while the test does other things."""

    def __init__(self, args: tuple[str, ...], process: subprocess.Popen[bytes] | Forked) -> None:
        self.args = args
        self.process = process

    def wait(self, timeout: float = 60) -> Result:
        """The result, once the run has ended; a run that does not end fails the test."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = self.process.communicate()
            text = out.decode(errors="replace") + err.decode(errors="replace")
            pytest.fail(f"still running after {timeout} s: {' '.join(self.args)}\n{text}")
        result = Result(self.args, self.process.wait(), out.decode(), err.decode(errors="replace"))
        assert "Traceback" not in result.stdout + result.stderr, f"a traceback came out\n{result}"
        return result

    def interrupt(self) -> None:
        """What Ctrl-C does: the signal goes to the whole foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it without a chance to clean up, children included."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def start(
    *args: str,
    cwd: Path,
    home: Path,
    env: Mapping[str, str] | None = None,
    prefix: tuple[str, ...] = (),
    python: tuple[str, ...] = (),
    input: bytes | None = None,
) -> Background:
    """Start the program; `prefix` goes before the interpreter, `python` are options of its own.

    A plain run is forked from a process with the libraries imported, unless WHEREIN_TEST_PROCESSES=fresh.
    """
    environment = clean_environment(home, env)
    if not (prefix or python or input is not None) and all(name.startswith("WHEREIN_") for name in env or {}):
        raw = request(args, cwd, environment)
        if raw is not None and os.environ.get("WHEREIN_TEST_PROCESSES") != "fresh":
            return Background(args, Forked(raw))
    return Background(args, _fresh([*prefix, sys.executable, *python, "-m", "wherein", *args], cwd, environment, input))


def _fresh(command: list[str], cwd: Path, env: Mapping[str, str], input: bytes | None) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    if input is not None and process.stdin is not None:
        process.stdin.write(input)
        process.stdin.close()
        process.stdin = None
    return process
