"""A collection as the channels see it: an opened generation, and the rows a query may return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from store.idsets import member
from store.records import PassageKey, Place
from store.snapshot import Passage, Snapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Located:
    """A passage and the row of the source it was read from."""

    source: Source
    row: int
    passage: Passage


class Source:
    """Rows are chunks by path, then position; `allowed` (n,) bool holds what the filters let through."""

    def __init__(self, name: str, snapshot: Snapshot, allowed: NDArray[np.bool_] | None = None) -> None:
        self.name = name
        self.snapshot = snapshot
        self.allowed = allowed
        self._passages: dict[int, Passage] = {}  # shared with every restriction of this source

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The allowed rows, one for each distinct text: the first that holds it."""
        import numpy as np

        group = self.snapshot.rows.arrays["group"]
        if self.allowed is None:
            return np.flatnonzero(group == np.arange(len(group)))
        rows = np.flatnonzero(self.allowed)
        _, first = np.unique(group[rows], return_index=True)
        return np.asarray(np.sort(rows[first]), dtype=np.int64)

    @cached_property
    def _held(self) -> NDArray[np.int64]:
        """How many rows hold the text whose first row this is (n,)."""
        import numpy as np

        return np.bincount(self.snapshot.rows.arrays["group"])

    @property
    def languages(self) -> list[str]:
        return list(self.snapshot.rows.meta["languages"])

    @cached_property
    def by_place(self) -> bool:
        """Whether one text may have several vectors and counts: where something of its file stands before it."""
        return bool((self.snapshot.settings or {}).get("chunking", {}).get("context", "none") != "none")

    def standing(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Scores (n,) with the best that a text has at any allowed place, at the row that stands for it."""
        import numpy as np

        group = self.snapshot.rows.arrays["group"]
        if not self.by_place or len(self.rows) == len(group):
            return scores
        allowed = np.arange(len(group)) if self.allowed is None else np.flatnonzero(self.allowed)
        stands = np.empty(len(group), dtype=np.int64)
        stands[group[self.rows]] = self.rows
        best = scores.copy()
        np.maximum.at(best, stands[group[allowed]], scores[allowed])
        return best

    def same_text(self, row: int) -> list[int]:
        """The allowed rows that hold the text of a row, itself among them."""
        import numpy as np

        group = self.snapshot.rows.arrays["group"]
        if self._held[group[row]] == 1:
            return [row]
        same = np.flatnonzero(group == group[row])
        return [int(r) for r in same if self.allowed is None or self.allowed[r]]

    def restrict(self, allowed: NDArray[np.bool_]) -> Source:
        """The same source with fewer rows allowed."""
        narrowed = Source(self.name, self.snapshot, allowed if self.allowed is None else self.allowed & allowed)
        narrowed._passages = self._passages
        return narrowed

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of some rows, read once."""
        missing = sorted({row for row in rows if row not in self._passages})
        self._passages.update(zip(missing, self.snapshot.passages(missing), strict=True))
        return [self._passages[row] for row in rows]

    def located(self) -> dict[PassageKey, Located]:
        """Every passage read so far, by key."""
        return {(self.name, p.path, p.position): Located(self, row, p) for row, p in self._passages.items()}

    def also_in(self, row: int) -> tuple[Place, ...]:
        """The other allowed places that hold the text of a row."""
        others = [other for other in self.same_text(row) if other != row]
        return tuple(Place(self.name, p.path, p.line_start, p.line_end) for p in self.passages(others))

    def in_files(self, ids: Iterable[int]) -> NDArray[np.bool_]:
        """Which rows belong to some files (by id)."""
        import numpy as np

        return member(self.snapshot.rows.arrays["file"], np.fromiter(ids, dtype=np.int64))

    def allowed_files(self, ids: Iterable[int]) -> set[int]:
        """Those of some files that an allowed row belongs to."""
        rows = self.in_files(ids) if self.allowed is None else self.in_files(ids) & self.allowed
        return {int(id_) for id_ in self.snapshot.rows.arrays["file"][rows]}


def top(scores: NDArray[Any], rows: NDArray[np.int64], count: int, margin: float = 0.0) -> list[int]:
    """The `count` rows with the highest scores, best first, ties by row; with `margin`, all within it of the last.

    `scores` (n,) belongs to all rows of the source, `rows` names those that count.
    """
    import numpy as np

    values = scores[rows]
    if len(rows) > count:
        bound = np.partition(values, len(values) - count)[len(values) - count] - margin
        keep = values >= bound
        rows, values = rows[keep], values[keep]
    order = np.lexsort((rows, -values))
    chosen = rows[order]
    return [int(r) for r in (chosen if margin else chosen[:count])]
