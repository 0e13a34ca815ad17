"""Late interaction as a reranker: the formula, the model's own conventions, and that a pair stands by itself."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from store.records import Scores
from tasks import late_interaction, weights
from tasks.late_interaction import LateInteractionScorer, filled, max_similarity
from tasks.models import LOGIT, MEAN_COSINE, RerankConfig, rerank_scale
from tasks.onnx_models import Bert
from tasks.rerank import load_reranker
from tasks.select import select
from tests.unit.hits import hit

NAME = weights.LATE_INTERACTION.name
QUERY = "when was the boiler repaired"
PASSAGES = [
    "Sourdough needs a long, cool rise and a hot oven.",
    "The boiler was serviced in May and the engineer replaced the pressure valve.",
    "Jupiter was bright over the harbour last night.",
    "標準化に関する動向",
    "word " * 700,
    "!?",
    "",
]


@pytest.fixture(scope="module")
def scorer() -> LateInteractionScorer:
    return LateInteractionScorer()


def test_the_relevant_passage_scores_highest_and_scores_are_mean_cosines(scorer: LateInteractionScorer) -> None:
    scores = scorer.logits(QUERY, PASSAGES)
    assert max(range(len(PASSAGES)), key=scores.__getitem__) == 1
    assert all(-1 <= score <= 1 for score in scores)
    assert scorer.logits(QUERY, []) == []


def test_a_pair_scores_the_same_in_any_pool_remembered_or_not(scorer: LateInteractionScorer) -> None:
    alone = [LateInteractionScorer.logits(scorer, QUERY, [passage])[0] for passage in PASSAGES]
    order = random.Random(2).sample(range(len(PASSAGES)), len(PASSAGES)) * 2
    fresh = LateInteractionScorer(3).logits(QUERY, [PASSAGES[i] for i in order])
    assert fresh == pytest.approx([alone[i] for i in order], abs=1e-4)


def test_the_score_is_the_mean_over_query_vectors_of_the_best_cosine() -> None:
    query = np.asarray([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    passage = np.asarray([[0.6, 0.8, 0], [1, 0, 0]], dtype=np.float32)
    assert max_similarity(query, passage) == pytest.approx((1 + 0.8 + 0) / 3)
    assert max_similarity(query, query) == pytest.approx(1)


@given(st.integers(3, 600))
def test_a_query_is_filled_up_to_a_multiple_of_32_or_by_eight(tokens: int) -> None:
    length = filled(tokens, 512)
    assert length <= 512
    assert length - tokens >= 8 or length == 512
    assert length % 32 in (0, 8)
    assert length < tokens + 40


def test_a_query_carries_its_marker_and_filling_that_nothing_attends_to(
    scorer: LateInteractionScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[list[int], int]] = []
    plain = Bert.tokens

    def tokens(bert: Bert, ids: list[int], attended: int) -> object:
        seen.append((list(ids), attended))
        return plain(bert, ids, attended)

    monkeypatch.setattr(Bert, "tokens", tokens)
    scorer.logits("a boiler", ["A new, unread boiler!"])
    (query, attended), (passage, read) = seen
    assert query[:2] == [101, 1]
    assert (query[attended - 1], attended) == (102, 5)
    assert query[attended:] == [103] * 27
    assert passage[:2] == [101, 2]
    assert read == len(passage)


def test_filling_changes_no_vector_of_the_query_itself(scorer: LateInteractionScorer) -> None:
    bert = scorer._bert
    ids = [101, 1, *bert.ids(QUERY), 102]
    short, long = (bert.tokens([*ids, *[103] * count], len(ids))[: len(ids)] for count in (8, 24))
    assert np.abs(short - long).max() < 0.35  # int8 ranges are of the whole input


def test_punctuation_of_a_passage_is_no_partner(scorer: LateInteractionScorer) -> None:
    assert len(scorer._of_passage("a b")) == len(scorer._of_passage("a, b!")) == 5
    assert len(scorer._of_passage("!?")) == 3


def test_a_passage_is_read_once_for_several_questions_and_what_is_kept_is_bounded(
    scorer: LateInteractionScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    plain = scorer._of_passage
    monkeypatch.setattr(scorer, "_of_passage", lambda text: read.append(text) or plain(text))
    monkeypatch.setattr(late_interaction, "REMEMBERED_VECTORS", 40)
    scorer._known.clear()
    scorer.logits("a", ["one", "two"])
    scorer.logits("b", ["one", "two"])
    assert sorted(read) == ["one", "two"]
    scorer.logits("c", [f"passage {i}" for i in range(20)])
    assert 0 < sum(map(len, scorer._known.values())) <= 40
    scorer.logits("d", ["one"])
    assert read.count("one") == 2


def test_it_is_chosen_by_name_runs_on_the_cpu_and_says_what_its_scores_are() -> None:
    config = RerankConfig(NAME)
    assert isinstance(load_reranker(config)._scorer, LateInteractionScorer)
    with pytest.raises(WhereinError) as caught:
        load_reranker(RerankConfig(NAME, device="cuda"))
    assert caught.value.code == USAGE
    assert rerank_scale(config) == MEAN_COSINE
    assert rerank_scale(RerankConfig(weights.RERANKER.name)) == LOGIT
    assert rerank_scale(RerankConfig(NAME, base_url="http://127.0.0.1:1")) == LOGIT


def test_a_floor_is_compared_with_the_score_itself() -> None:
    scored = (("a", 0.7), ("b", 0.4))
    pool = [replace(hit(text, text), scores=Scores(rerank=score)) for text, score in scored]
    assert [h.text for h in select(pool, 0.5, 0, 9, logits=False).hits] == ["a"]
    assert [h.text for h in select(pool, 0.5, 0, 9).hits] == ["a", "b"]
