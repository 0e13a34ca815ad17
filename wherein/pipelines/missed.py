"""What is said where nothing was found: where it was looked for, by what limits, and what to try."""

from __future__ import annotations

from collections.abc import Iterator

from store.records import Evidence
from tasks.phrases import phrases
from wherein.pipelines.options import QueryOptions


def searched(evidence: Evidence, chosen: QueryOptions, floor: float) -> str:
    """Two sentences: what was searched, and what might find more."""
    where = ", ".join(sorted(evidence.generations)) or "the index"
    within = "".join(f", {limit}" for limit in _limits(evidence, chosen))
    ways = list(_ways(evidence, chosen, floor))
    listed = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} or {ways[-1]}"
    return f"Searched: {where}{within}. Try {listed}."


def _limits(evidence: Evidence, chosen: QueryOptions) -> Iterator[str]:
    filters = {"--path": chosen.path, "--since": chosen.since, "--until": chosen.until, "--on": chosen.on}
    yield from (f"{name} {value}" for name, value in filters.items() if value)
    if _phrases(evidence, chosen):
        yield "only where what stands in quotation marks occurs"
    if evidence.mode == "keyword":
        yield "by words alone"


def _ways(evidence: Evidence, chosen: QueryOptions, floor: float) -> Iterator[str]:
    yield "other words"
    if evidence.mode == "keyword":
        yield "--mode hybrid"
    if _phrases(evidence, chosen):
        yield "leaving out the quotation marks"
    if any((chosen.path, chosen.since, chosen.until, chosen.on)):
        yield "leaving out the filter"
    if evidence.dropped.floor:
        yield f"a lower retrieval.floor ({evidence.dropped.floor} passages are below {floor:g})"


def _phrases(evidence: Evidence, chosen: QueryOptions) -> list[str]:
    """A text that others are to resemble has none."""
    return [] if chosen.like is not None else phrases(evidence.query)
