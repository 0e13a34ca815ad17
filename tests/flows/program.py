"""`python -m tests.flows.program …`: the program with every command, whatever else it registers by itself."""

from __future__ import annotations

import sys

from wherein.__main__ import main
from wherein.cli import service

if __name__ == "__main__":
    sys.exit(main() if service else 1)
