"""The program with all its commands: each module registers its own, in the order in which `--help` lists them."""

from __future__ import annotations

from wherein.cli import setup  # isort: skip
from wherein.cli import ingesting  # isort: skip
from wherein.cli import searching  # isort: skip
from wherein.cli import asking  # isort: skip
from wherein.cli import comparing  # isort: skip
from wherein.cli import looking  # isort: skip
from wherein.cli import evaluating  # isort: skip
from wherein.cli import golden  # isort: skip
from wherein.cli import tuning  # isort: skip
from wherein.cli import checking  # isort: skip
from wherein.cli import answers  # isort: skip
from wherein.cli import keeping  # isort: skip
from wherein.cli import service  # isort: skip
from wherein.cli.root import app

__all__ = [
    "answers", "app", "asking", "checking", "comparing", "evaluating", "golden", "ingesting", "keeping", "looking",
    "searching", "service", "setup", "tuning",
]  # fmt: skip
