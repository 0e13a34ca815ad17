"""A process with the libraries already imported that forks one child for each run of the program.

The program's own packages are imported by the child, as `python -m wherein` would; only what others wrote is there
before. `python -m tests.support.zygote FD` serves the socket FD until its other end closes.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

PRELOADED = (
    "chardet",
    "filelock",
    "llama_index.core.node_parser",
    "llama_index.llms.ollama",
    "numpy",
    "ollama",
    "openai",
    "pydantic",
    "rich.console",
    "rich.progress",
    "scipy.sparse",
    "sqlite3",
    "Stemmer",
    "tokenizers",
    "typer",
    "typer.rich_utils",
    "yaml",
)
"""Nothing here may start a thread when it is imported."""
NUMBER = struct.Struct("<q")
REQUEST_BYTES = 1 << 20
DESCRIPTORS = 4


def main(descriptor: int) -> None:
    """Fork for every request; report each child's pid at once and its wait status when it has ended."""
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    status: dict[int, int] = {}
    channel = socket.socket(fileno=descriptor)
    while True:
        ready, _, _ = select.select([channel.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _reap(status)
        if descriptor in ready and not _serve(channel, status, (woken, wake)):
            return


def _serve(channel: socket.socket, status: dict[int, int], own: tuple[int, int]) -> bool:
    raw, descriptors, _, _ = socket.recv_fds(channel, REQUEST_BYTES, DESCRIPTORS)
    if not raw:
        return False
    pid = os.fork()
    if pid == 0:
        channel.close()
        for number in (*own, *status.values(), descriptors[3]):
            os.close(number)
        _become(json.loads(raw), descriptors[:3])
    for number in descriptors[:3]:
        os.close(number)
    status[pid] = descriptors[3]
    os.write(status[pid], NUMBER.pack(pid))
    return True


def _reap(status: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            pid, code = ended
            with suppress(BrokenPipeError):
                os.write(status[pid], NUMBER.pack(os.waitstatus_to_exitcode(code)))
            os.close(status.pop(pid))


def _become(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Turn this child into `python -m wherein ARGUMENTS`."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for target, number in enumerate(descriptors):
            os.dup2(number, target)
            os.close(number)
        _open_streams()
        os.environ.clear()
        os.environ.update(request["env"])
        os.chdir(request["cwd"])
        sys.argv = ["wherein", *request["args"]]
        sys.path[0] = request["cwd"]
        code = _run()
    finally:
        _finish(code)


def _open_streams() -> None:
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = os.fdopen(number, mode, encoding="utf-8", errors=errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run() -> int:
    try:
        runpy.run_module("wherein", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the interpreter would print it too
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _finish(code: int) -> NoReturn:
    """What the interpreter does at its end."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
