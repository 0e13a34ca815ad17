"""Seconds, sizes and counts as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.records import StageTime

_UNITS = ((86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))
_WORTH_SAYING_SECONDS = 3600


def stage_times(stages: Iterable[StageTime]) -> str:
    """`vector 0.012 s, fuse 0.001 s`."""
    return ", ".join(f"{stage.stage} {stage.seconds:.3f} s" for stage in stages)


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"


def age(value: float) -> str:
    """`5 minutes ago`."""
    for unit_seconds, name in _UNITS:
        if value >= unit_seconds:
            count = int(value // unit_seconds)
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def index_age(value: float | None) -> str:
    """A word on the age of the index once it is worth one; else nothing."""
    return f"the index was refreshed {age(value)}" if value is not None and value >= _WORTH_SAYING_SECONDS else ""


def size(size_bytes: int) -> str:
    """`1.2 MB`, in powers of ten."""
    if size_bytes < 1000:
        return f"{size_bytes} B"
    power = min(3, (len(str(size_bytes)) - 1) // 3)
    return f"{size_bytes / 1000**power:.1f} {('kB', 'MB', 'GB')[power - 1]}"


def counted(count: int, name: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"
