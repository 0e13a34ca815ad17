"""What each model is: its window, its prefixes, and what makes two vectors comparable. Loads nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from store.errors import WhereinError, usage
from tasks import model_folder, weights
from tasks.known_models import UNKNOWN, Traits, known
from tasks.model_folder import ModelFolder
from tasks.weights import Bundled

NORMALISATION = 1
"""Version of how raw vectors become unit rows."""
UNSURE = "none"
"""The language of a file that does not show one."""
LOGIT, MEAN_COSINE = "logit", "mean cosine"
LATE_INTERACTION_VERSION = 1
"""Version of how token vectors become a score."""
OLLAMA_WINDOW = 2048
"""The context that every Ollama gives a model without being asked for more."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A model server of `[models.NAME]`; prices per million tokens; `tokenizer`: a tokenizer.json."""

    name: str
    provider: str
    base_url: str
    model: str
    api_key_env: str | None = None
    context_window: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    timeout_seconds: float = 600.0
    keep_alive: str = "10m"
    tokenizer: Path | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """The `[embedding]` settings; None where the model's own values rule."""

    model: str
    device: str = "auto"
    batch: int = 32
    window: int | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    server: ServerConfig | None = None
    models_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingSpec:
    """`kind` is "bundled", "huggingface" or "server"; `window` in tokens, special tokens included."""

    model: str
    kind: str
    window: int
    query_prefix: str
    document_prefix: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """The `[rerank]` settings; `base_url` is a served `/v1/rerank`, `api_key_env` the variable that holds its key."""

    model: str
    device: str = "auto"
    base_url: str | None = None
    models_dir: Path | None = None
    api_key_env: str | None = None


@dataclass(frozen=True, slots=True)
class RerankSpec:
    """`digest` tells reranker from reranker, so that thresholds fitted for one are not used for another.

    `kind` is "bundled", "late interaction", "huggingface" or "server".
    """

    model: str
    kind: str
    digest: str


def embedding_spec(config: EmbeddingConfig) -> EmbeddingSpec:
    """Raises WhereinError (code 2) for a model that is not here, or a window it does not have."""
    if config.server is not None:
        return _spec(config, "server", config.server.model, _served_traits(config.server))
    if config.model.startswith(weights.PREFIX):
        bundled = weights.bundled(weights.EMBEDDER.setting, config.model)
        return _spec(config, "bundled", bundled.identity, Traits(bundled.window, bundled.query_prefix))
    folder = local_folder(config.model, config.models_dir, weights.EMBEDDER.setting)
    identity = _identity(folder, config.model, weights.EMBEDDER.setting)
    return _spec(config, "huggingface", identity, model_folder.traits(folder))


def rerank_spec(config: RerankConfig) -> RerankSpec:
    """Raises WhereinError (code 2) for a model that is not here, or that is no cross-encoder with one score."""
    if config.base_url:
        return RerankSpec(config.model, "server", _hash("server", config.model))
    if config.model.startswith(weights.PREFIX):
        return _bundled_reranker(weights.bundled(weights.RERANKER.setting, config.model))
    folder = local_folder(config.model, config.models_dir, weights.RERANKER.setting)
    _check_cross_encoder(config.model, folder.path)
    return RerankSpec(config.model, "huggingface", _hash(_identity(folder, config.model, weights.RERANKER.setting)))


def embedding_languages(model: str) -> tuple[str, ...]:
    """The languages a model is known to read; empty where nothing is known, or it reads many."""
    return weights.languages(model)


def embedding_reads(model: str, language: str) -> bool:
    """Whether a model reads a file's language; also where nothing is known of either."""
    known_languages = embedding_languages(model)
    return language == UNSURE or not known_languages or language in known_languages


def rerank_scale(config: RerankConfig) -> str:
    """What its scores are: LOGIT or MEAN_COSINE."""
    late = not config.base_url and config.model == weights.LATE_INTERACTION.name
    return MEAN_COSINE if late else LOGIT


def _bundled_reranker(model: Bundled) -> RerankSpec:
    if model is weights.LATE_INTERACTION:
        return RerankSpec(model.name, "late interaction", _hash(model.graph.sha256, LATE_INTERACTION_VERSION))
    return RerankSpec(model.name, "bundled", model.graph.sha256)


def local_folder(model: str, models_dir: Path | None, setting: str) -> ModelFolder:
    """Where a Hugging Face model lies on this disk; raises WhereinError naming the setting if nowhere."""
    folder = model_folder.find(model, models_dir)
    if folder is not None:
        return folder
    raise usage(
        f"Setting {setting} is {model!r}, which is neither a bundled model, a server of [models], a model folder,"
        " nor a hub model on this disk; correct it, or fetch a hub model with `wherein models pull`.",
        kind="model",
    )


def _identity(folder: ModelFolder, model: str, setting: str) -> str:
    try:
        return folder.identity
    except OSError as error:
        raise usage(
            f"Setting {setting} is {model!r}, of which {error.filename} cannot be read ({error.strerror});"
            " make it readable, or name another model.",
            kind="model",
        ) from error


def _spec(config: EmbeddingConfig, kind: str, identity: str, own: Traits) -> EmbeddingSpec:
    window = config.window or own.window
    if kind != "server" and window > own.window:
        raise usage(f"Setting embedding.window is {window}, but {config.model!r} reads {own.window} tokens at most.")
    query = own.query_prefix if config.query_prefix is None else config.query_prefix
    document = own.document_prefix if config.document_prefix is None else config.document_prefix
    fingerprint = _hash(kind, identity, query, document, window, NORMALISATION)
    return EmbeddingSpec(config.model, kind, window, query, document, fingerprint)


def _served_traits(server: ServerConfig) -> Traits:
    own = known(server.model) or UNKNOWN
    usual = min(own.window, OLLAMA_WINDOW) if server.provider == "ollama" else own.window
    return Traits(server.context_window or usual, own.query_prefix, own.document_prefix)


def _check_cross_encoder(model: str, folder: Path) -> None:
    own = model_folder.config(folder, "config.json")
    sentence = model_folder.config(folder, "config_sentence_transformers.json")
    architecture = (own.get("architectures") or ["none"])[0]
    if sentence.get("model_type") != "CrossEncoder" and not architecture.endswith("ForSequenceClassification"):
        raise not_a_reranker(model, f"is no cross-encoder (its architecture is {architecture})")
    labels = own.get("id2label")
    if architecture.endswith("ForSequenceClassification") and labels is not None and len(labels) != 1:
        raise not_a_reranker(model, f"gives {len(labels)} scores for a pair instead of one")


def not_a_reranker(model: str, why: str) -> WhereinError:
    message = f"Setting rerank.model is {model!r}, which {why}; name a cross-encoder with one score."
    return usage(message, kind="model")


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]
