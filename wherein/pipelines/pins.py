"""Pinned passages: those that hold a rare name or identifier of the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.records import PassageKey, Ranked
from tasks.names import rare_names
from tasks.source import Located, Source

_FEW = 3
_SHARE = 0.01


def pinned(
    query: str, pool: Sequence[Source], fused: Sequence[Ranked], passages: Mapping[PassageKey, Located]
) -> frozenset[PassageKey]:
    """Keys of the pool's passages that hold a name found in at most max(1, min(3, 1 % of the chunks)) chunks."""
    chunks = sum(len(source.snapshot) for source in pool)
    most = max(1, min(_FEW, int(chunks * _SHARE)))
    rows_by_name: dict[str, list[tuple[str, int]]] = {}
    for source in pool:
        for surface, terms in rare_names(query, source.languages):
            rows = source.snapshot.lexicon.rows_with_any(terms, most)
            rows_by_name.setdefault(surface, []).extend((source.name, row) for row in rows)
    rare = {place for rows in rows_by_name.values() if 0 < len(rows) <= most for place in rows}
    return frozenset(entry.key for entry in fused if (passages[entry.key].source.name, passages[entry.key].row) in rare)
