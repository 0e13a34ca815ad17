"""What shapes a collection's index: recorded in each generation, and compared with the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks import context, model_folder, weights
from tasks.models import EmbeddingSpec, embedding_spec
from wherein.pipelines import models
from wherein.workspace import Workspace

COSTLY = ("embedding", "chunking")
_SPECIAL_TOKENS = 2
_ROOM_FOR_QUERY = 64


def room(spec: EmbeddingSpec) -> int:
    """How many tokens of text an input may hold beside the prefix and the special tokens."""
    return spec.window - _SPECIAL_TOKENS - -(-len(spec.document_prefix) // 2)


def kept_for_context(kind: str, spec: EmbeddingSpec) -> int:
    """How many tokens of an input are kept for what is put before a chunk."""
    return 0 if kind == "none" else context.most_tokens(room(spec))


def shape_of(workspace: Workspace, name: str) -> dict[str, Any]:
    """Everything that shapes a collection's index, as recorded in each generation."""
    from tasks.analyse import Analyser

    collection = workspace.collection(name)
    chunking = workspace.settings.chunking
    config = models.embedding(workspace)
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


def beyond_reranker(workspace: Workspace, made: dict[str, Any]) -> list[str]:
    """A note if chunks are longer than the reranker reads, where that is known without loading it."""
    window = _rerank_window(workspace)
    size = made["chunking"]["size"]
    if window is None or size <= window - _ROOM_FOR_QUERY:
        return []
    return [
        f"chunks have up to {size} tokens, and the reranker {workspace.settings.rerank.model!r} reads {window} with the"
        " question: it judges longer ones by their beginning; lower chunking.size, or rerank.weight"
    ]


def _rerank_window(workspace: Workspace) -> int | None:
    config = models.rerank(workspace)
    if config.base_url or not workspace.settings.rerank.enabled:
        return None
    if config.model.startswith(weights.PREFIX):
        return weights.RERANKER.window
    folder = model_folder.find(config.model, config.models_dir)
    return None if folder is None else model_folder.traits(folder).window


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
