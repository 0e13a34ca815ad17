"""How a run is told to end."""

from __future__ import annotations

INTERRUPTED = 130
"""The exit code of a run that was."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: what Ctrl-C does, where Ctrl-C would end more than one answer too."""
