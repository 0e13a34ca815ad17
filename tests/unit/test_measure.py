from __future__ import annotations

from tasks.cite import cite
from tasks.measure import AnswerMetrics, measure
from tests.unit.hits import hit

HITS = [hit("alpha beta gamma", "one.md", rank=1), hit("delta epsilon zeta", "two.md", rank=4),
        hit("eta theta iota", "one.md", rank=6), hit("kappa", "three.md", rank=7)]  # fmt: skip


def test_an_answer_is_measured_by_what_it_cites() -> None:
    answer = 'It is "alpha beta gamma" [1], it is so [3]. "delta beta zeta" [2]. And that was not said by them.'
    assert measure(cite(answer, HITS), HITS) == AnswerMetrics(
        files_cited=1,
        lowest_rank_cited=6,
        evidence_used=0.5,
        quotes_verified=1,
        quotes_unverified=1,
        sentences_without_citation=1,
    )


def test_a_quotation_that_several_markers_share_counts_once() -> None:
    assert measure(cite('"alpha beta zeta" [1-3].', HITS), HITS).quotes_unverified == 1
    assert measure(cite('"alpha beta gamma" [1, 2].', HITS), HITS).quotes_unverified == 0


def test_a_refusal_and_an_answer_without_citations_use_nothing() -> None:
    assert measure(cite("NOT IN YOUR FILES", HITS), HITS) == AnswerMetrics(0, None, 0.0, 0, 0, 0)
    assert measure(cite("", []), []) == AnswerMetrics(0, None, 0.0, 0, 0, 0)
