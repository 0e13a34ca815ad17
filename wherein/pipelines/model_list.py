"""The models in force: what they are, where they lie, and under which licence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from store.errors import WhereinError
from tasks import model_folder, weights
from tasks.models import ServerConfig
from tasks.servers import is_loopback, named_key
from wherein.pipelines import models
from wherein.workspace import Workspace

EXTRACTIVE = "extractive"
_CARD_LICENCE = re.compile(r"^license:\s*[\"']?([\w.+-]+)", re.MULTILINE)
_CARD_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model; `kind` is bundled, huggingface, server or built-in, `where` a path or an address.

    `sha256` is that of the weights; for a Hugging Face model it stands for all its files, with large ones sampled.
    `problem` says why it cannot be used; None where nothing is known to be wrong.
    """

    role: str
    model: str
    kind: str
    where: str | None
    sha256: str | None
    licence: str | None
    remote: bool = False
    problem: str | None = None
    revision: str | None = None


def model_list(workspace: Workspace) -> list[ModelEntry]:
    """Embedding, reranking and answering models as the settings name them; nothing is loaded or called."""
    settings = workspace.settings
    entries = [_local("embedding", settings.embedding.model, weights.EMBEDDER.setting, workspace)]
    served = models.embedding(workspace).server
    if served is not None:
        entries = [_served("embedding", served)]
    if settings.rerank.enabled:
        entries.append(_reranker(workspace))
    return [*entries, _answering(workspace)]


def _reranker(workspace: Workspace) -> ModelEntry:
    section = workspace.settings.rerank
    if section.base_url is None:
        return _local("rerank", section.model, weights.RERANKER.setting, workspace)
    problem = None
    try:
        named_key("rerank.api_key_env", section.api_key_env)
    except WhereinError as error:
        problem = error.message
    remote = not is_loopback(section.base_url)
    return ModelEntry("rerank", section.model, "server", section.base_url, None, None, remote, problem)


def _answering(workspace: Workspace) -> ModelEntry:
    name = workspace.settings.synthesis.model
    if name == EXTRACTIVE:
        return ModelEntry("answers", name, "built-in", None, None, None)
    server = models.server(workspace, name)
    if server is not None:
        return _served("answers", server)
    return ModelEntry("answers", name, "server", None, None, None, problem=f"no [models.{name}] is set")


def _served(role: str, server: ServerConfig) -> ModelEntry:
    remote = not is_loopback(server.base_url)
    return ModelEntry(role, server.name, "server", server.base_url, None, None, remote)


def _local(role: str, model: str, setting: str, workspace: Workspace) -> ModelEntry:
    if model.startswith(weights.PREFIX):
        return _bundled(role, model, setting)
    folder = model_folder.find(model, models_dir(workspace))
    if folder is None:
        return ModelEntry(
            role, model, "huggingface", None, None, None, problem="not on this disk: `wherein models pull`"
        )
    digest, licence = model_folder.digest(folder.path), _card_licence(folder.path)
    return ModelEntry(role, model, "huggingface", str(folder.path), digest, licence, revision=folder.revision)


def _bundled(role: str, model: str, setting: str) -> ModelEntry:
    try:
        bundled = weights.bundled(setting, model)
    except WhereinError as error:
        return ModelEntry(role, model, "bundled", None, None, None, problem=error.message)
    problem = None
    try:
        for file in (bundled.graph, bundled.tokenizer):
            weights.read(bundled, file)
    except WhereinError as error:
        problem = error.message
    where = _package_file(bundled)
    return ModelEntry(role, model, "bundled", where, bundled.graph.sha256, bundled.licence, problem=problem)


def _package_file(bundled: weights.Bundled) -> str | None:
    spec = find_spec(weights.PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return str(Path(next(iter(spec.submodule_search_locations))) / bundled.graph.path)


def _card_licence(folder: Path) -> str | None:
    """The licence in the head of a model card."""
    try:
        head = (folder / "README.md").read_text(encoding="utf-8", errors="replace")[:_CARD_CHARACTERS]
    except OSError:
        return None
    match = _CARD_LICENCE.search(head)
    return match[1] if match else None


def models_dir(workspace: Workspace) -> Path:
    """Where hub models are fetched to."""
    return workspace.state / "models"
