"""Wall and processor seconds of calls, and memory; where other work runs beside, processor seconds count."""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

Cost = dict[str, float]
"""`wall` and `cpu` seconds, the latter of all threads."""


def cost(body: Callable[[], object]) -> Cost:
    """What one call takes."""
    started, worked = time.perf_counter(), time.process_time()
    body()
    return {"wall": time.perf_counter() - started, "cpu": time.process_time() - worked}


def median(bodies: Sequence[Callable[[], object]]) -> Cost:
    """The median of some calls after the first, which finds everything cold."""
    costs = [cost(body) for body in bodies][1:]
    return {clock: statistics.median(each[clock] for each in costs) for clock in ("wall", "cpu")}


def peak_mb() -> float:
    """The most this process ever had in memory, mapped files included, in MB (10^6)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def own_mb() -> float:
    """What this process holds now that no file backs, in MB (10^6)."""
    lines = Path(f"/proc/{os.getpid()}/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith("RssAnon:"))
    return int(line.split()[1]) * 1024 / 1e6
