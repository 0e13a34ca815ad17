"""Run whole processes and take their wall time and peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).resolve().parents[1]
_FOREIGN = ("WHEREIN_", "PREFECT_", "OPENAI_", "OLLAMA_")


@dataclass(frozen=True, slots=True)
class Run:
    """How a process went: wall seconds from before its start to after its end, peak resident memory in MB (10^6).

    `cpu_seconds` (user and system, all threads) tells more than the wall where other work runs beside.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    code: int
    stdout: str
    stderr: str

    @property
    def last_line(self) -> str:
        """The last line on stdout, after whatever libraries printed there."""
        return self.stdout.strip().rpartition("\n")[2]


class Failed(RuntimeError):
    """A measured process did not end as it should."""


def whole(
    command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None, codes: Sequence[int] = (0,)
) -> Run:
    """Run a command to its end; raises Failed for an exit code that is not among `codes`.

    Keep the measuring process small: the system counts a child's peak from the parent's size at the fork.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment(env), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu_seconds, peak_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
        run = Run(seconds, cpu_seconds, peak_mb, process.returncode, _text(out), _text(err))
    if run.code not in codes:
        raise Failed(f"{' '.join(map(str, command))} ended with {run.code}: {run.stdout[-800:]}{run.stderr[-1500:]}")
    return run


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without settings that could steer the programs measured, plus `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(_FOREIGN)}
    return kept | {"PYTHONPATH": str(PROJECT)} | dict(extra or {})


def module(name: str, *arguments: str | Path) -> list[str]:
    """The command that runs a module with this interpreter."""
    return [sys.executable, "-m", name, *map(str, arguments)]


def interleaved(steps: Mapping[str, Callable[[], Run]], runs: int) -> dict[str, list[Run]]:
    """Run the steps in turn, `runs` times over, so that a slow spell of the machine hits all of them."""
    results: dict[str, list[Run]] = {name: [] for name in steps}
    for _ in range(runs):
        for name, step in steps.items():
            results[name].append(step())
    return results
