"""`python -m tests.flows.teller`: run flow commands one after another in one process, since importing Prefect is slow.

Each line of stdin is a JSON object with `name`, `arguments`, `folder`, `out` and `err`; each is answered by a line
with the exit code. What a command prints goes to the files `out` and `err`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys


def main() -> None:
    """Answer until stdin ends."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        for line in sys.stdin:
            print(_run(**json.loads(line)), file=answers, flush=True)


def _run(name: str, arguments: list[str], folder: str, out: str, err: str) -> int:
    commands = importlib.import_module("flows.commands")
    os.chdir(folder)
    sys.argv = [f"flows.{name}", *arguments]
    kept = [os.dup(number) for number in (1, 2)]
    for number, path in ((1, out), (2, err)):
        with open(path, "wb") as file:  # noqa: PTH123
            os.dup2(file.fileno(), number)
    try:
        return int(getattr(commands, f"{name}_command")())
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in enumerate(kept, 1):
            os.dup2(copy, number)
            os.close(copy)


if __name__ == "__main__":
    main()
