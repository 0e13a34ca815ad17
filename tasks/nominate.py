"""The date channel: passages of the days a question names, nearest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from store.records import Ranked
from tasks.filters import dated_rows
from tasks.source import Source
from tasks.stage import stage
from tasks.vector import nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@stage("date")
def nominate(
    sources: Sequence[Source],
    queries: Mapping[str, NDArray[np.float32]],
    ranges: Sequence[tuple[date, date]],
    pool: int,
) -> list[Ranked]:
    """The `pool` passages nearest to the query whose file's own date lies in a range; the score is the cosine."""
    return nearest([s.restrict(dated_rows(s, ranges)) for s in sources], queries, pool)
