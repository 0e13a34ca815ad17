"""How commands call a pipeline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from wherein.cli.command import Call
from wherein.cli.recording import recorded as as_flow_run

R = TypeVar("R")


def _own_code(result: object) -> int:
    return int(getattr(result, "code", 0))


def recorded(name: str, call: Call, function: Callable[[], R], *given: str, code: Callable[[R], int] = _own_code) -> R:
    """Call what `wherein ingest`, `search`, `ask` or `compare` runs, recorded in Prefect where the settings want that.

    `given`: the texts it is called with, of which only a digest is recorded; `code`: the exit code of a result.
    """
    digest = hashlib.sha256(json.dumps(given).encode()).hexdigest()[:8]
    return as_flow_run(name, call.workspace, function, code, call.note, digest)
