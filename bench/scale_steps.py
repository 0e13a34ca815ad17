"""One step of `bench.scale` in a process of its own: `python -m bench.scale_steps STEP WORKSPACE [COUNT]`.

`ingest` brings the index up to its folder, `search` opens it and searches. One JSON line: the cost of what was done,
with everything imported beforehand, and the memory it took.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench import clocks, given_vectors, synthetic

COLLECTION = "notes"
MODES = ("vector", "keyword", "hybrid")


def main() -> None:
    """Run one step and print its line."""
    step, workspace = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    line = ingest(Path(workspace)) if step == "ingest" else search(Path(workspace), count)
    print(json.dumps({**line, "peak_mb": clocks.peak_mb(), "own_mb": clocks.own_mb()}), flush=True)


def ingest(place: Path) -> dict[str, Any]:
    """Ingest once; the splitter is imported beforehand, which a run without a new text would not do."""
    started = time.perf_counter()
    from tasks.split import Shape, split
    from wherein.pipelines.ingest import ingest
    from wherein.workspace import Workspace

    imported = time.perf_counter() - started
    given_vectors.use()
    split(synthetic.note(0), 0, Shape(256, 25, "\n\n"), str.split, markdown=False)
    reports: list[Any] = []
    taken = clocks.cost(lambda: reports.append(ingest(Workspace.find(place), COLLECTION)))
    report = reports[0]
    return {
        "ingest": taken,
        "imports": imported,
        "files": {event: count for event, count in report.files.items() if count},
        "chunks": report.chunks["total"],
        "stages": {each.stage: each.seconds for each in report.stages},
    }


def search(place: Path, count: int) -> dict[str, Any]:
    """Open the index, then put `count` distinct questions in each mode, without reranking."""
    import numpy as np  # noqa: F401

    from wherein.pipelines import sources
    from wherein.pipelines.query import QueryOptions, search
    from wherein.workspace import Workspace

    def open_all() -> None:
        with sources.opened(workspace, (), []):
            pass

    given_vectors.use()
    workspace = Workspace.find(place)
    line: dict[str, Any] = {"open": clocks.cost(open_all)}
    for mode in MODES:
        options = QueryOptions(mode=mode, rerank=False, k=15)
        line[mode] = clocks.median([partial(search, workspace, text, options) for text in synthetic.questions(count)])
    return line


if __name__ == "__main__":
    main()
