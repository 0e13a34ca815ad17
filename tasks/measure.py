"""What one answer of a comparison made of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.records import Hit
from tasks.cite import Cited


@dataclass(frozen=True, slots=True)
class AnswerMetrics:
    """`lowest_rank_cited` is the worst rank among the passages cited, None if none is.

    `evidence_used` is the share (0 to 1) of the passages sent that are cited. A passage counts as cited by a
    marker whose quotation is not wrong.
    """

    files_cited: int
    lowest_rank_cited: int | None
    evidence_used: float
    quotes_verified: int
    quotes_unverified: int
    sentences_without_citation: int


def measure(cited: Cited, hits: Sequence[Hit]) -> AnswerMetrics:
    """Metrics of an answer to the passages `hits`, in the order of its markers."""
    used = sorted({citation.marker for citation in cited.citations if citation.verified is not False})
    quotes = {verdict: {c.quote for c in cited.citations if c.verified is verdict} for verdict in (True, False)}
    return AnswerMetrics(
        files_cited=len(cited.contributed),
        lowest_rank_cited=max((hits[marker - 1].rank for marker in used), default=None),
        evidence_used=round(len(used) / len(hits), 4) if hits else 0.0,
        quotes_verified=len(quotes[True]),
        quotes_unverified=len(quotes[False] - quotes[True]),
        sentences_without_citation=cited.sentences_without_citation,
    )
