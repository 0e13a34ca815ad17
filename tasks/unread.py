"""Why a file gave no document."""

from __future__ import annotations

from typing import Literal

Kind = Literal["permission", "missing", "changing", "binary", "unreadable", "placeholder", "over-limit"]

_STATES = {"binary": "skipped", "over-limit": "skipped", "changing": "pending", "missing": "pending"}


class Unread(Exception):
    """A file that was not read; `reason` is a clause without the file's name."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason

    @property
    def state(self) -> str:
        """What becomes of the file: "skipped", "pending" (the next run looks again) or "failed"."""
        return _STATES.get(self.kind, "failed")
