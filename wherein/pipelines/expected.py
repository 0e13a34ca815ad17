"""How many texts a run will have to embed: guessed from sizes, and better the more of the files have been split."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wherein.pipelines.items import Work


class Expected:
    """Tells `report(done, expected)` of every step; `guess(size_bytes)` is the number of texts of a file."""

    def __init__(self, works: Iterable[Work], guess: Callable[[int], int], report: Callable[[int, int], None]) -> None:
        self._guess = guess
        self._report = report
        self._waiting = sum(guess(work.stat.size_bytes) for work in works)
        self._split = 0
        self._found = 0
        self._done = 0

    def settle(self, works: Iterable[Work], texts: int) -> None:
        """Some files were split and hold so many texts that no embedding is remembered for."""
        guessed = sum(self._guess(work.stat.size_bytes) for work in works)
        self._waiting -= guessed
        self._split += guessed
        self._found += texts

    def advance(self, count: int) -> None:
        """So many more texts were embedded."""
        self._done += count
        self._report(self._done, max(self._done, self.texts))

    @property
    def texts(self) -> int:
        """In all: those found, and the guess for the files that wait, as far off as it was for the others."""
        share = self._found / self._split if self._split else 1.0
        return self._found + round(self._waiting * share)
