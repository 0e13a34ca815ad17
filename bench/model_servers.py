"""Two servers for one small model on 127.0.0.1: the OpenAI protocol and the Ollama protocol."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.children import child
from bench.models_env import NotInstalled, ServerUnavailable, find

MODEL = "smollm2"
CONTEXT_TOKENS = 8192
START_SECONDS = 120.0
STOP_SECONDS = 15.0
# Its threads wait for each other busily: on a machine that also does other things, one for each core costs four times
# the processor time and the wall time of half as many.
THREADS = str(max(1, (os.cpu_count() or 2) // 2))

# What would steer a server from outside: its own switches, another home, a proxy in front of 127.0.0.1.
_FOREIGN = re.compile(r"(LLAMA|HFL|OLLAMA|HF|OPENAI)_|(https?|all)_proxy$", re.IGNORECASE)
_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def llama_server(models_dir: Path) -> Iterator[str]:
    """Base URL of a running llama-server, ending in /v1. Raises ServerUnavailable."""
    files = find(models_dir)
    command = [str(files.llama_server), "-m", str(files.weights), "--alias", MODEL]
    command += ["--host", "127.0.0.1", "--port", "0", "-np", "1", "-c", str(CONTEXT_TOKENS)]
    command += ["-t", THREADS]
    # On the processor and without a prompt cache in memory: modest, and alike on machines with a graphics card.
    command += ["-dev", "none", "--cache-ram", "0", "--no-webui", "--no-slots", "--offline"]
    library_path = {"LD_LIBRARY_PATH": str(files.llama_server.parent)}
    with tempfile.TemporaryDirectory(prefix="llama-server-") as folder:
        log = Path(folder) / "log"
        with _running(command, library_path, log) as process:
            port = _wait(process, log, lambda: _healthy(_announced_port(log)))
            yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def hfl_server(models_dir: Path) -> Iterator[str]:
    """Base URL of a server that speaks the Ollama protocol and holds `smollm2`. Raises ServerUnavailable."""
    files = find(models_dir)
    if files.hfl is None:
        raise NotInstalled(f"hfl is not installed in {models_dir}: run `python -m bench.serve install --ollama`")
    with tempfile.TemporaryDirectory(prefix="hfl-") as home:
        env = {"HFL_HOME": home, "HFL_LLAMA_SERVER_BIN": str(files.llama_server), "HF_HUB_OFFLINE": "1"}
        env["LLAMA_ARG_THREADS"] = THREADS
        _import_model(files.hfl, files.weights, env)
        port = _free_port()
        command = [str(files.hfl), "serve", "--host", "127.0.0.1", "--port", str(port)]
        command += ["--backend", "llama-server", "--parallel", "1"]
        log = Path(home) / "serve.log"
        with _running(command, env, log) as process:
            _wait(process, log, lambda: _healthy(port))
            yield f"http://127.0.0.1:{port}"


def _import_model(hfl: Path, weights: Path, env: dict[str, str]) -> None:
    command = [str(hfl), "import", str(weights), "--name", MODEL]
    done = subprocess.run(command, env=_environment(env), capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServerUnavailable(f"hfl could not register {weights}: {(done.stdout + done.stderr).strip()}")


@contextmanager
def _running(command: list[str], env: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The started process, in a session of its own so that Ctrl-C reaches it through us alone."""
    with log.open("wb") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        with child(command, _stop, _environment(env), start_new_session=True, **streams) as process:
            yield process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _environment(extra: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)} | extra


def _wait(process: subprocess.Popen[bytes], log: Path, ready: Callable[[], int | None]) -> int:
    """The port, once `ready` returns one."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerUnavailable(f"{_ending(process)} before it was ready: {_tail(log)}")
        port = ready()
        if port is not None:
            return port
        time.sleep(0.05)
    raise ServerUnavailable(f"{_name(process)} was not ready after {START_SECONDS:.0f} seconds: {_tail(log)}")


def _name(process: subprocess.Popen[bytes]) -> str:
    command = process.args
    return Path(str(command[0] if isinstance(command, list) else command)).name


def _ending(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code == -signal.SIGILL:
        return f"{_name(process)} needs processor instructions this machine lacks and stopped"
    if code < 0:
        return f"{_name(process)} was ended by {signal.Signals(-code).name}"
    return f"{_name(process)} exited with code {code}"


def _tail(log: Path) -> str:
    return " | ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-3:])


def _announced_port(log: Path) -> int | None:
    found = _LISTENING.search(log.read_text(encoding="utf-8", errors="replace"))
    return int(found[1]) if found else None


def _healthy(port: int | None) -> int | None:
    if port is None:
        return None
    try:
        with _DIRECT.open(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return port if answer.status == 200 else None
    except (urllib.error.URLError, OSError, http.client.HTTPException):
        return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
