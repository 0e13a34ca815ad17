"""`python -m tests.flows.recorded_ask QUESTION [SECONDS]`: ask as a command does, through its recording."""

from __future__ import annotations

import json
import sys
import time

from tasks.stage import stage
from wherein.cli.recording import recorded
from wherein.pipelines.ask import AskOptions, ask
from wherein.workspace import Workspace


@stage("dwell")
def dwell(seconds: float) -> float:
    """Take a while, as a stage."""
    print("dwelling", file=sys.stderr, flush=True)
    time.sleep(seconds)
    return seconds


def main(question: str, seconds: float) -> int:
    """Print the answer as JSON, with whether Prefect was imported and how long it took."""
    workspace = Workspace.find()

    def work() -> str:
        if seconds:
            dwell(seconds)
        return ask(workspace, question, AskOptions(log=False)).answer

    def note(text: str) -> None:
        print(f"note: {text}", file=sys.stderr)

    started = time.monotonic()
    answer = recorded("ask", workspace, work, lambda _: 0, note, digest="d1g357")
    print(json.dumps({"answer": answer, "prefect": "prefect" in sys.modules, "seconds": time.monotonic() - started}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.0))
