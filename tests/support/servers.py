"""Fixtures with real model servers: a test module names this one in `pytest_plugins`.

Skipped with the reason where nothing is installed; a server that is installed and does not start is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bench.serve import NotInstalled, hfl_server, llama_server

MODELS_DIR = Path(__file__).resolve().parents[2] / ".venv-models"


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The environment that holds the servers; it need not exist."""
    return MODELS_DIR


@pytest.fixture(scope="session")
def llama_url(models_dir: Path) -> Iterator[str]:
    """Base URL of the OpenAI protocol, ending in /v1; the model is `smollm2`."""
    yield from _served(llama_server(models_dir))


@pytest.fixture(scope="session")
def ollama_url(models_dir: Path) -> Iterator[str]:
    """Base URL of the Ollama protocol; the model is `smollm2`."""
    yield from _served(hfl_server(models_dir))


def _served(server: AbstractContextManager[str]) -> Iterator[str]:
    try:
        url = server.__enter__()
    except NotInstalled as error:
        pytest.skip(str(error))
    try:
        yield url
    finally:
        server.__exit__(None, None, None)
