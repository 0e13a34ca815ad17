"""From settings to models: the configurations that tasks take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from store.errors import usage
from tasks.models import EmbeddingConfig, RerankConfig, ServerConfig
from wherein.workspace import Workspace

OLLAMA = "http://127.0.0.1:11434"


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
            tokenizer=workspace.path(section.tokenizer) if section.tokenizer else None,
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
        api_key_env=section.api_key_env,
    )


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
