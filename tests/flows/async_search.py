"""`python -m tests.flows.async_search QUERY`: the same search plainly, and inside an asynchronous flow."""

from __future__ import annotations

import asyncio
import json
import sys

from flows import connection
from wherein.workspace import Workspace


def main(text: str) -> int:
    """Print the hits of both as JSON."""
    workspace = Workspace.find()
    connection.connect(workspace, lambda note: print(note, file=sys.stderr))
    from prefect import flow

    from flows.runner import task_runs
    from store.records import to_json
    from wherein.api import search

    def hits() -> list[object]:
        return [to_json(hit) for hit in search(text, workspace).hits]

    @flow(name="asynchronous", persist_result=False)
    async def asynchronous() -> tuple[list[object], list[object]]:
        with task_runs():
            return hits(), await asyncio.to_thread(hits)

    plain = hits()
    inside, beside = asyncio.run(asynchronous())
    print(json.dumps({"plain": plain, "inside": inside, "beside": beside}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
