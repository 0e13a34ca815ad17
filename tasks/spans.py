"""Things of a text in the order in which they start."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Spans(Generic[T]):
    """Found by place in logarithmic time."""

    def __init__(self, items: Sequence[T], start: Callable[[T], int]) -> None:
        self.items = items
        self._starts = [start(item) for item in items]

    def between(self, start: int, end: int) -> Sequence[T]:
        """Those that start from `start` on and before `end`."""
        return self.items[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def first(self, start: int, end: int) -> T | None:
        """The first that starts from `start` on and before `end`."""
        found = bisect_left(self._starts, start)
        return self.items[found] if found < len(self.items) and self._starts[found] < end else None

    def last(self, start: int, end: int) -> T | None:
        """The last that starts from `start` on and before `end`."""
        found = bisect_left(self._starts, end) - 1
        return self.items[found] if found >= 0 and self._starts[found] >= start else None

    def last_from(self, at: int) -> T | None:
        """The last that starts at `at` or before."""
        found = bisect_right(self._starts, at)
        return self.items[found - 1] if found else None
