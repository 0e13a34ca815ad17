"""Running flow modules, and the `prefect` command, as processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.process import PROJECT, clean_environment
from tests.support.workspace import Workspace


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    stdout: str
    stderr: str

    def expect(self, *codes: int) -> Ended:
        assert self.code in codes, f"exit {self.code}, expected {codes}\n{self.stdout}\n{self.stderr}"
        assert "Traceback" not in self.stdout + self.stderr, f"a traceback came out\n{self.stdout}\n{self.stderr}"
        return self


def python(
    *arguments: str, ws: Workspace, env: Mapping[str, str] | None = None, cwd: Path | None = None, seconds: float = 150
) -> Ended:
    """Run Python in a workspace, in a clean environment with a home of its own."""
    return wait(start(sys.executable, *arguments, cwd=cwd or ws.root, home=ws.home, env=env), seconds)


def flow(name: str, *arguments: str, ws: Workspace, env: Mapping[str, str] | None = None) -> Ended:
    """`python -m flows.NAME`"""
    return python("-m", f"flows.{name}", *arguments, ws=ws, env=env)


class Teller:
    """Flow commands run one after another by one process, which imports Prefect once."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: folder / name for name in ("out", "err")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.teller"], env=clean_environment(folder), cwd=PROJECT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(self, name: str, *arguments: str, ws: Workspace) -> Ended:
        """`python -m flows.NAME` in a workspace."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        files = {name: str(file) for name, file in self._files.items()}
        asked = {"name": name, "arguments": arguments, "folder": str(ws.root), **files}
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return Ended(code, *(file.read_text(encoding="utf-8", errors="replace") for file in self._files.values()))

    def end(self) -> None:
        """Let it go when it has told Prefect all."""
        self._process.communicate(timeout=60)


def start(
    *command: str, cwd: Path, home: Path, env: Mapping[str, str] | None = None, log: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a process; its output goes to pipes, or to a file."""
    out = log.open("wb") if log is not None else subprocess.PIPE
    return subprocess.Popen(
        command, cwd=cwd, env=clean_environment(home, env), stdin=subprocess.DEVNULL, stdout=out,
        stderr=subprocess.STDOUT if log is not None else subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def wait(process: subprocess.Popen[bytes], seconds: float) -> Ended:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise
    return Ended(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def prefect(*arguments: str, cwd: Path = PROJECT, home: Path, env: Mapping[str, str], seconds: float = 120) -> Ended:
    """The `prefect` command as a person would type it."""
    return wait(start(*prefect_command(arguments), cwd=cwd, home=home, env=env), seconds).expect(0)


def prefect_command(arguments: Sequence[str]) -> list[str]:
    """The console script beside the interpreter: unlike `python -m`, it does not look into the current folder."""
    return [str(Path(sys.executable).parent / "prefect"), *arguments]


def processes_of(folder: Path, patience_seconds: float = 20.0) -> list[str]:
    """Command lines that name a folder, once none does or the patience has run out."""
    deadline = time.monotonic() + patience_seconds
    while (found := _naming(str(folder))) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def _naming(text: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return sorted(line for line in found if text in line)
