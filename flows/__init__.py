"""The pipelines as Prefect flows, each stage a task run."""

import sys

if "tasks" not in sys.modules:
    from importlib import import_module
    from pathlib import Path

    # Whoever imports a flow may have the current folder first on its path, with a `tasks.py` of its own in it.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    for _name in ("store", "tasks", "prompts", "wherein"):
        import_module(_name)
    del sys.path[0]
