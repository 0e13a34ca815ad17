"""What a run will have to embed: guessed from sizes, and better the more of the files have been split."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wherein.pipelines.items import Work


class Expected:
    """Tells `report(done, expected, share)` of every step; `guess(size_bytes)` is the number of texts of a file.

    `share` of the work is by characters: the longest texts of a batch come first, and take longer.
    """

    def __init__(
        self, works: Iterable[Work], guess: Callable[[int], int], report: Callable[[int, int, float], None]
    ) -> None:
        self._guess = guess
        self._report = report
        self._waiting = sum(guess(work.stat.size_bytes) for work in works)
        self._split = 0
        self._found = 0
        self._done = 0
        self._found_characters = 0
        self._done_characters = 0

    def settle(self, works: Iterable[Work], texts: int, characters: int) -> None:
        """Some files were split and hold so many texts that no embedding is remembered for."""
        guessed = sum(self._guess(work.stat.size_bytes) for work in works)
        self._waiting -= guessed
        self._split += guessed
        self._found += texts
        self._found_characters += characters
        if texts:
            self._tell()

    def advance(self, count: int, characters: int) -> None:
        """So many more texts were embedded."""
        self._done += count
        self._done_characters += characters
        self._tell()

    def _tell(self) -> None:
        self._report(self._done, max(self._done, self.texts), self.share)

    @property
    def texts(self) -> int:
        """In all: those found, and the guess for the files that wait, as far off as it was for the others."""
        share = self._found / self._split if self._split else 1.0
        return self._found + round(self._waiting * share)

    @property
    def share(self) -> float:
        """Of all characters to embed, those that are done: 0 to 1."""
        waiting = self._waiting * self._found_characters / self._split if self._split else 0.0
        expected = max(self._found_characters + waiting, self._done_characters)
        return self._done_characters / expected if expected else 0.0
