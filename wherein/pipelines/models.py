"""From settings to models: the configurations that tasks take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.errors import usage
from tasks import context
from tasks.models import EmbeddingConfig, EmbeddingSpec, RerankConfig, ServerConfig, embedding_spec
from wherein.workspace import Workspace

OLLAMA = "http://127.0.0.1:11434"
_SPECIAL_TOKENS = 2


def server(workspace: Workspace, name: str) -> ServerConfig | None:
    """The server that `[models.NAME]`, or the spelling `ollama/MODEL` or `openai/MODEL`, stands for."""
    section = workspace.settings.models.get(name)
    timeout = workspace.settings.synthesis.timeout_seconds
    if section is not None:
        return ServerConfig(
            name=name,
            provider=section.provider,
            base_url=section.base_url or _address(section.provider, name),
            model=section.model,
            api_key_env=section.api_key_env or ("OPENAI_API_KEY" if section.provider == "openai" else None),
            context_window=section.context_window,
            price_in=section.price_in,
            price_out=section.price_out,
            timeout_seconds=timeout,
            keep_alive=workspace.settings.synthesis.keep_alive,
        )
    provider, slash, model = name.partition("/")
    if not slash or provider not in ("ollama", "openai") or not model:
        return None
    key = "OPENAI_API_KEY" if provider == "openai" else None
    return ServerConfig(
        name,
        provider,
        _address(provider, name),
        model,
        key,
        timeout_seconds=timeout,
        keep_alive=workspace.settings.synthesis.keep_alive,
    )


def _address(provider: str, name: str) -> str:
    if provider == "ollama":
        return OLLAMA
    if provider == "openai":
        return "https://api.openai.com/v1"
    raise usage(
        f"Setting models.{name}.base_url is missing: name the server's address, such as http://127.0.0.1:8080/v1."
    )


def embedding(workspace: Workspace) -> EmbeddingConfig:
    """The embedding model that the settings name."""
    section = workspace.settings.embedding
    return EmbeddingConfig(
        model=section.model,
        device=section.device,
        batch=section.batch,
        window=section.window,
        query_prefix=section.query_prefix,
        document_prefix=section.document_prefix,
        server=None if section.model.startswith("bundled/") else server(workspace, section.model),
        models_dir=workspace.state / "models",
    )


def rerank(workspace: Workspace) -> RerankConfig:
    section = workspace.settings.rerank
    return RerankConfig(
        model=section.model,
        device=workspace.settings.embedding.device,
        base_url=section.base_url,
        models_dir=workspace.state / "models",
    )


def room(spec: EmbeddingSpec) -> int:
    """How many tokens of text an input may hold beside the prefix and the special tokens."""
    return spec.window - _SPECIAL_TOKENS - -(-len(spec.document_prefix) // 2)


def kept_for_context(kind: str, spec: EmbeddingSpec) -> int:
    """How many tokens of an input are kept for what is put before a chunk."""
    return 0 if kind == "none" else context.most_tokens(room(spec))


def shape(workspace: Workspace, name: str) -> dict[str, Any]:
    """Everything that shapes a collection's index, as recorded in each generation."""
    from tasks.analyse import Analyser

    collection = workspace.collection(name)
    chunking = workspace.settings.chunking
    config = embedding(workspace)
    spec = embedding_spec(config)
    kept = kept_for_context(chunking.context, spec)
    return {
        "embedding": {
            "model": config.model,
            "server_model": config.server.model if config.server else None,
            "fingerprint": spec.fingerprint,
            "window": spec.window,
            "query_prefix": spec.query_prefix,
            "document_prefix": spec.document_prefix,
        },
        "chunking": {
            "size": min(chunking.size, room(spec) - kept),
            "overlap": min(chunking.overlap, (room(spec) - kept) // 2),
            "paragraph_separator": chunking.paragraph_separator,
            "context": chunking.context,
            **_before_chunks(workspace, kept),
        },
        "analyser": Analyser().fingerprint,
        "language": collection.language,
        "dates": list(collection.dates),
    }


def _before_chunks(workspace: Workspace, kept: int) -> dict[str, Any]:
    """What tells one index from another beside the kind of context."""
    kind = workspace.settings.chunking.context
    if kind == "none":
        return {}
    made = {"header": {"version": context.VERSION, "tokens": kept}}
    if kind == "headings":
        return made
    from wherein.pipelines import situate

    return {**made, "llm": situate.identity(workspace)}


def clamped(workspace: Workspace, made: dict[str, Any]) -> list[str]:
    """A note if chunks are made smaller than set, so that the model reads all of them."""
    wanted, size = workspace.settings.chunking.size, made["chunking"]["size"]
    if size == wanted:
        return []
    window, kept = made["embedding"]["window"], made["chunking"].get("header", {}).get("tokens", 0)
    shared = f", of which chunking.context takes up to {kept}" if kept else ""
    return [
        f"chunking.size is {wanted}, but the embedding model's window is {window} tokens{shared}: chunks of {size} are"
        " made"
    ]


COSTLY = ("embedding", "chunking")


def costly(changes: Mapping[str, Mapping[str, Any]], wanted: dict[str, Any]) -> list[str]:
    """The differences that cost model calls; where a file's date is put before its chunks, how it is found is one."""
    dated = wanted["chunking"]["context"] == "headings" and "dates" in changes
    found = [key for key in COSTLY if key in changes]
    if dated and len({tuple(d for d in order or () if d != "mtime") for order in changes["dates"].values()}) > 1:
        found.append("dates")
    return found


def differing(recorded: dict[str, Any], wanted: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The parts of the shape that differ: {key: {"index": …, "settings": …}}."""
    found = {}
    for key in sorted({*recorded, *wanted}):
        if _identity(key, recorded.get(key)) != _identity(key, wanted.get(key)):
            found[key] = {"index": recorded.get(key), "settings": wanted.get(key)}
    return found


def _identity(key: str, value: Any) -> Any:
    return value.get("fingerprint") if key == "embedding" and isinstance(value, dict) else value


def recorded_embedding(workspace: Workspace, recorded: dict[str, Any]) -> EmbeddingConfig:
    """The embedding model that a generation was made with; only its address comes from the settings."""
    made = recorded["embedding"]
    found = None if made["server_model"] is None else server(workspace, made["model"])
    if made["server_model"] is not None and found is None:
        raise usage(
            f"The index was made with the model server {made['model']!r}, which the settings no longer name:"
            f" put [models.{made['model']}] back, or run `wherein ingest --rebuild`.",
            kind="model",
        )
    section = workspace.settings.embedding
    return EmbeddingConfig(
        model=made["model"],
        device=section.device,
        batch=section.batch,
        window=made["window"],
        query_prefix=made["query_prefix"],
        document_prefix=made["document_prefix"],
        server=None if found is None else replace(found, model=made["server_model"]),
        models_dir=workspace.state / "models",
    )
