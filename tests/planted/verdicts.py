"""How an answer was judged, in few signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.cite import cite
from tests.planted.passages import numbered


@dataclass(frozen=True)
class Planted:
    """An answer over passages and how it is to be judged: `1+` verified, `1-` not, `1->2` not, but it stands in 2,

    `1` cited without a quotation, `?9` no such passage, `!` quoted without a source; in this order.
    """

    kind: str
    passages: str
    answer: str
    verdict: str


def judged(case: Planted) -> str:
    """What the program says of it."""
    found = cite(case.answer, numbered(case.passages))
    said = []
    for citation in found.citations:
        elsewhere = f">{citation.found_in}" if citation.found_in is not None else ""
        sign = {None: "", True: "+", False: f"-{elsewhere}"}[citation.verified]
        said.append(f"{citation.marker}{sign}")
    said += [f"?{marker}" for marker in found.unknown_markers]
    return " ".join([*said, *("!" for _ in found.uncited_quotes)])


def counts(cases: Iterable[Planted]) -> dict[str, tuple[int, int]]:
    """By kind: how many were judged as they should be, of how many."""
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for case in cases:
        every[case.kind] += 1
        right[case.kind] += judged(case) == case.verdict
    return {kind: (right[kind], every[kind]) for kind in every}
