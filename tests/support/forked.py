"""Runs of the program forked from a process that has the libraries imported: they start in a tenth of the time."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.support.zygote import NUMBER
from wherein.environment import DEFAULTS

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_REQUEST_BYTES = 100_000


@cache
def _zygote() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.zygote", str(theirs.fileno())],
        cwd=PROJECT,
        env={**os.environ, **DEFAULTS, "PYTHONPATH": str(PROJECT)},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)  # runs first
    return ours


def request(args: tuple[str, ...], cwd: Path, env: Mapping[str, str]) -> bytes | None:
    """What the forking process is sent for a run, or None if it is too long for one message."""
    raw = json.dumps({"args": args, "cwd": str(cwd), "env": dict(env)}).encode()
    return raw if len(raw) <= LONGEST_REQUEST_BYTES else None


class Forked:
    """A forked run, with as much of `subprocess.Popen` as the tests use."""

    def __init__(self, raw: bytes) -> None:
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        self._status, status_end = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        socket.send_fds(_zygote(), [raw], [nothing, out_end, err_end, status_end])
        for number in (nothing, out_end, err_end, status_end):
            os.close(number)
        self.stdout, self.stderr = os.fdopen(out, "rb"), os.fdopen(err, "rb")
        self.pid: int = NUMBER.unpack(os.read(self._status, NUMBER.size))[0]
        self.returncode: int | None = None
        self._read: dict[int, bytes] = {out: b"", err: b""}
        self._open = [out, err]

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code once it has ended; raises TimeoutExpired."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("wherein", timeout or 0)
        return code

    def communicate(self, timeout: float = 60) -> tuple[bytes, bytes]:
        """All of stdout and stderr, once it has ended; raises TimeoutExpired, and may be called again then."""
        deadline = time.monotonic() + timeout
        while self._open:
            ready, _, _ = select.select(self._open, [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise subprocess.TimeoutExpired("wherein", timeout)
            for number in ready:
                piece = os.read(number, 1 << 16)
                self._read[number] += piece
                if not piece:
                    self._open.remove(number)
        self.wait(max(0.0, deadline - time.monotonic()))
        self.stdout.close()
        self.stderr.close()
        out, err = self._read.values()
        return out, err

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = NUMBER.unpack(os.read(self._status, NUMBER.size))[0]
            os.close(self._status)
        return self.returncode
