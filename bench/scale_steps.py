"""One step of `bench.scale` in a process of its own: `python -m bench.scale_steps STEP WORKSPACE [COUNT]`.

`ingest` brings the index up to its folder, `search` opens it and searches. One JSON line: seconds of what was done,
with everything imported beforehand, and the memory it took.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench import given_vectors, synthetic

COLLECTION = "notes"
MODES = ("vector", "keyword", "hybrid")


def main() -> None:
    """Run one step and print its line."""
    step, workspace = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    line = ingest(Path(workspace)) if step == "ingest" else search(Path(workspace), count)
    print(json.dumps(line), flush=True)


def ingest(place: Path) -> dict[str, Any]:
    """Ingest once; the splitter is imported beforehand, which a run without a new text would not do."""
    from tasks.split import Shape, split
    from wherein.pipelines.ingest import ingest
    from wherein.workspace import Workspace

    given_vectors.use()
    split(synthetic.note(0), 0, Shape(256, 25, "\n\n"), str.split, markdown=False)
    started, worked = time.perf_counter(), time.process_time()
    report = ingest(Workspace.find(place), COLLECTION)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    return {
        "seconds": seconds,
        "cpu_seconds": processor,
        "files": {event: count for event, count in report.files.items() if count},
        "chunks": report.chunks["total"],
        "stages": {each.stage: each.seconds for each in report.stages},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def search(place: Path, count: int) -> dict[str, Any]:
    """Open the index, then put `count` distinct questions in each mode, without reranking."""
    import numpy as np  # noqa: F401

    from wherein.pipelines import sources
    from wherein.pipelines.query import QueryOptions, search
    from wherein.workspace import Workspace

    given_vectors.use()
    workspace = Workspace.find(place)
    line: dict[str, Any] = {"open": timed(lambda: _opened(sources, workspace))}
    for mode in MODES:
        options = QueryOptions(mode=mode, rerank=False, k=15)
        searches = [partial(search, workspace, text, options) for text in synthetic.questions(count)]
        seconds = [timed(each) for each in searches]
        line[mode] = {"first": seconds[0], "median": statistics.median(seconds[1:]), "most": max(seconds[1:])}
    return {**line, **memory()}


def _opened(sources: Any, workspace: Any) -> None:
    with sources.opened(workspace, (), []) as found:
        assert len(found) == 1


def timed(body: Callable[[], object]) -> float:
    started = time.perf_counter()
    body()
    return time.perf_counter() - started


def memory() -> dict[str, float]:
    """Resident megabytes (10^6) of this process: the most there ever were, and those that no file backs."""
    lines = Path(f"/proc/{os.getpid()}/status").read_text(encoding="ascii").splitlines()
    found = dict(line.split(":", 1) for line in lines)
    sizes = {name: int(found[name].split()[0]) * 1024 / 1e6 for name in ("VmHWM", "RssAnon")}
    return {"peak_mb": sizes["VmHWM"], "anonymous_mb": sizes["RssAnon"]}


if __name__ == "__main__":
    main()
