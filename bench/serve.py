"""Install a small model with its servers, or run a command beside one of them.

python -m bench.serve install [--dir .venv-models] [--ollama]
python -m bench.serve run [--dir .venv-models] -- COMMAND...
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bench.children import child
from bench.model_servers import hfl_server, llama_server
from bench.models_env import NotInstalled, ServerUnavailable, install

__all__ = ["NotInstalled", "ServerUnavailable", "hfl_server", "llama_server", "main"]

UNAVAILABLE = 69
CHILD_STOP_SECONDS = 5.0
INTERRUPT_SECONDS = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code of the command: `run` gives that of COMMAND, 69 when no server can be had."""
    options = _parser().parse_args(arguments)
    if options.action == "install":
        print(json.dumps(_install(options.dir, options.ollama)), flush=True)
        return 0
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        _parser().error("run needs a command: python -m bench.serve run -- COMMAND...")
    return _run(options.dir, command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.serve", description=__doc__.partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    filling = actions.add_parser("install", help="fill the environment; the last line on stdout is JSON")
    filling.add_argument("--ollama", action="store_true", help="also the server of the Ollama protocol")
    running = actions.add_parser("run", help="run COMMAND with LLAMA_SERVER_URL set; 69: no server to be had")
    for action in (filling, running):
        action.add_argument("--dir", type=Path, default=Path(".venv-models"), help="default: %(default)s")
    running.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    return parser


def _install(models_dir: Path, ollama: bool) -> dict[str, object]:
    """What was installed and seen to start, or the reason why not."""
    try:
        files = install(models_dir, ollama=ollama, report=_say)
        with llama_server(models_dir):
            pass
    except ServerUnavailable as error:
        return {"available": False, "reason": str(error)}
    return {"available": True, "dir": str(models_dir), "ollama": files.hfl is not None}


def _run(models_dir: Path, command: Sequence[str]) -> int:
    earlier = signal.signal(signal.SIGTERM, _leave)
    try:
        with llama_server(models_dir) as url:
            return _beside(url, command)
    except ServerUnavailable as error:
        _say(str(error))
        return UNAVAILABLE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        signal.signal(signal.SIGTERM, earlier)


def _beside(url: str, command: Sequence[str]) -> int:
    try:
        with child(command, lambda process: _end(process, 0.0), os.environ | {"LLAMA_SERVER_URL": url}) as process:
            try:
                code = process.wait()
            except KeyboardInterrupt:
                _end(process, INTERRUPT_SECONDS)
                raise
    except OSError as error:
        _say(f"{command[0]} cannot be run: {error.strerror}")
        return 127
    return code if code >= 0 else 128 - code


def _end(child: subprocess.Popen[bytes], patience_seconds: float) -> None:
    """Patience, because a terminal sends Ctrl-C to the child as well: it may be ending by itself."""
    for stop, seconds in ((child.terminate, patience_seconds), (child.kill, CHILD_STOP_SECONDS)):
        try:
            child.wait(seconds)
            return
        except subprocess.TimeoutExpired:
            stop()
    child.wait()


def _leave(signal_number: int, _frame: object) -> NoReturn:
    signal.signal(signal_number, signal.SIG_IGN)
    raise SystemExit(128 + signal_number)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
