"""Hugging Face models on this disk: where they are, what their own files say, and what makes them themselves."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.known_models import UNKNOWN, Traits, known

_ENDS_BYTES = 64 * 1024
_WHOLE_BYTES = 1024 * 1024
_MATTERS = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".pt", ".onnx", ".jinja"})
_NO_LIMIT = 1_000_000
_HUB_ID = re.compile(r"([\w.-]{1,96}/)?[\w.-]{1,96}")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's files. `hub_id` and `revision` where they came from a hub, else None."""

    path: Path
    name: str
    hub_id: str | None = None
    revision: str | None = None

    @property
    def identity(self) -> str:
        """Equal for equal models, wherever they lie; weights are sampled at both ends, not read whole."""
        return f"{self.hub_id}@{self.revision}" if self.hub_id else digest(self.path)


def find(model: str, models_dir: Path | None) -> ModelFolder | None:
    """The folder, or the hub model in `models_dir` or the hub's own cache; never asks the hub."""
    folder = _path(model)
    if is_model(folder):
        return ModelFolder(folder, "/".join(folder.resolve().parts[-2:]))
    caches = [models_dir, _hub_cache()] if models_dir else [_hub_cache()]
    ids = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    ids = ids if _HUB_ID.fullmatch(model) else []
    found = (_snapshot(cache, hub_id) for cache in caches for hub_id in ids)
    return next((each for each in found if each is not None), None)


def is_model(folder: Path) -> bool:
    """False also for what is no usable path at all."""
    return any(os.path.isfile(folder / name) for name in ("config.json", "modules.json"))  # noqa: PTH113


def _path(model: str) -> Path:
    try:
        return Path(model).expanduser()
    except RuntimeError:  # "~name" of a user who does not exist
        return Path(model)


def _hub_cache() -> Path:
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()


def _snapshot(cache: Path, hub_id: str) -> ModelFolder | None:
    """The revision that `refs/main` names, else the last by name."""
    repository = cache / f"models--{hub_id.replace('/', '--')}"
    snapshots = repository / "snapshots"
    main = repository / "refs" / "main"
    names = [main.read_text(encoding="utf-8").strip()] if main.is_file() else []
    names += sorted((path.name for path in snapshots.iterdir()), reverse=True) if snapshots.is_dir() else []
    for name in names:
        if name and is_model(snapshots / name):
            return ModelFolder(snapshots / name, hub_id, hub_id, name)
    return None


def config(folder: Path, name: str) -> dict[str, Any]:
    """A JSON file of the model's folder; empty if it is missing or no JSON object."""
    try:
        value = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def traits(model: ModelFolder) -> Traits:
    """Window and prefixes by the model's own files, and by its name where these say nothing."""
    by_name = known(model.name) or UNKNOWN
    prompts = config(model.path, "config_sentence_transformers.json").get("prompts") or {}
    query = prompts.get("query") or by_name.query_prefix
    document = prompts.get("document") or prompts.get("passage") or by_name.document_prefix
    return Traits(_window(model.path) or by_name.window, query, document)


def _window(folder: Path) -> int | None:
    """Tokens that sentence-transformers would read by default."""
    said = config(folder, "sentence_bert_config.json").get("max_seq_length")
    if isinstance(said, int):
        return said
    positions = config(folder, "config.json").get("max_position_embeddings")
    tokens = config(folder, "tokenizer_config.json").get("model_max_length")
    limits = [int(n) for n in (positions, tokens) if isinstance(n, (int, float)) and 0 < n < _NO_LIMIT]
    return min(limits, default=None)


def digest(folder: Path) -> str:
    """sha256 over the names, sizes and contents of the files that matter; of large ones, both ends."""
    whole = hashlib.sha256()
    files = (path for path in folder.rglob("*") if path.suffix in _MATTERS and path.is_file())
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in files):
        whole.update(f"{name}\0{path.stat().st_size}\0".encode())
        whole.update(_sample(path))
    return whole.hexdigest()


def _sample(path: Path) -> bytes:
    size_bytes = path.stat().st_size
    if size_bytes <= _WHOLE_BYTES:
        return path.read_bytes()
    with path.open("rb") as file:
        head = file.read(_ENDS_BYTES)
        file.seek(size_bytes - _ENDS_BYTES)
        return head + file.read(_ENDS_BYTES)
