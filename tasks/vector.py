"""The vector channel: exact cosine search over memory-mapped unit rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from store.records import PassageKey, Ranked
from tasks.source import Source, top
from tasks.stage import stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARGIN = 1e-5  # more than float32 rounding moves a cosine of unit rows


@stage("vector")
def vector(sources: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], pool: int) -> list[Ranked]:
    """The `pool` nearest distinct texts over all sources; `queries`: the unit query vector (d,) by source name."""
    return nearest(sources, queries, pool)


def nearest(sources: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], pool: int) -> list[Ranked]:
    """Highest cosine first, ties by key.

    float32 finds the candidates, float64 row by row scores them, so that neither layout nor order matters.
    """
    found: list[tuple[float, PassageKey, str]] = []
    for source in sources:
        query = queries[source.name]
        rough = source.standing(_cosines(source, query))
        rows = top(rough, source.rows, pool, _MARGIN)
        exact = _rescored(source, rows, query)
        passages = source.passages(rows)
        found += [(s, (source.name, p.path, p.position), p.text) for s, p in zip(exact, passages, strict=True)]
    return distinct(found, pool)


def distinct(found: list[tuple[float, PassageKey, str]], pool: int) -> list[Ranked]:
    """Rank (score, key, text) by score then key, each text once, at most `pool`."""
    ranked: list[Ranked] = []
    texts: set[str] = set()
    for score, key, text in sorted(found, key=lambda f: (-f[0], f[1])):
        if text not in texts and len(ranked) < pool:
            texts.add(text)
            ranked.append(Ranked(key, score, len(ranked) + 1))
    return ranked


def _cosines(source: Source, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine of every row (n,), float32; rows of one segment share its pass over memory."""
    import numpy as np

    table = source.snapshot.rows.arrays
    scores = np.empty(len(table["segment"]), dtype=np.float32)
    for number, matrix in sorted(source.snapshot.segments.items()):
        of_segment = np.vecdot(matrix, query)  # half the time of matrix @ query, and without threads that spin
        mine = np.flatnonzero(table["segment"] == number) if len(source.snapshot.segments) > 1 else slice(None)
        scores[mine] = of_segment[table["row"][mine]]
    return scores


def _rescored(source: Source, rows: Sequence[int], query: NDArray[np.float32]) -> list[float]:
    """The cosine of each row, or the best of all places of its text where they differ."""
    import numpy as np

    table = source.snapshot.rows.arrays
    wide: NDArray[Any] = query.astype(np.float64)

    def exact(row: int) -> float:
        vector = source.snapshot.segments[int(table["segment"][row])][int(table["row"][row])]
        return float(np.sum(vector.astype(np.float64) * wide))

    return [max(map(exact, source.same_text(row))) if source.by_place else exact(row) for row in rows]
