"""Search time and again in one process: `python -m bench.warm WORKSPACE QUESTION...`.

Hybrid, without the reranker. One JSON line: seconds of each search, the first one with all loading included.
"""

from __future__ import annotations

import json
import sys
import time

import wherein


def main() -> None:
    """Search for every question and print the line."""
    workspace = wherein.Workspace.find(sys.argv[1])
    seconds, best = [], []
    for question in sys.argv[2:]:
        started = time.perf_counter()
        found = wherein.search(question, workspace, mode="hybrid", rerank=False)
        seconds.append(time.perf_counter() - started)
        best.append(found.hits[0].path if found.hits else None)
    print(json.dumps({"seconds": seconds, "best": best}), flush=True)


if __name__ == "__main__":
    main()
