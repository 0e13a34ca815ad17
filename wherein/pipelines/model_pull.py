"""Fetch the hub models that the settings name; the one pipeline that calls the hub."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import WhereinError
from tasks import model_folder
from wherein.pipelines.model_list import model_list, models_dir
from wherein.workspace import Workspace

REVISION = "main"
_OTHER_FORMATS = (
    "onnx/*", "openvino/*", "coreml/*", "gguf/*", "*.onnx", "*.gguf", "*.h5", "*.msgpack", "*.ot", "*.tflite",
)  # fmt: skip
_TORCH = "pytorch_model*.bin"


@dataclass(frozen=True, slots=True)
class Pulled:
    """A hub model as it now lies here; `revision` is what was fetched."""

    model: str
    where: str
    revision: str | None


def pull(workspace: Workspace) -> list[Pulled]:
    """Raises WhereinError (exit 1) where the hub cannot be reached, or does not have the model."""
    wanted = [entry.model for entry in model_list(workspace) if entry.kind == "huggingface"]
    return [_pull(model, models_dir(workspace)) for model in dict.fromkeys(wanted) if not _is_folder(model)]


def _is_folder(model: str) -> bool:
    return model_folder.is_model(Path(model).expanduser())


def _pull(model: str, folder: Path) -> Pulled:
    os.environ["HF_HUB_OFFLINE"] = "0"
    hub_id = model if "/" in model else f"sentence-transformers/{model}"
    try:
        where = _download(hub_id, folder)
    except Exception as error:
        why, way_out = _explained(error)
        raise WhereinError(f"Cannot fetch {model}: {why}; {way_out}, or name a bundled model.", kind="hub") from error
    return Pulled(model, str(where), where.name)


def _explained(error: Exception) -> tuple[str, str]:
    """What went wrong and the way out; the hub's library lets errors of several HTTP libraries through."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if isinstance(error, HfHubHTTPError) and error.response is not None:
        return f"the hub refused it (status {error.response.status_code})", "check the model's name"
    if isinstance(error, HFValidationError):
        return "it is neither a folder nor a hub id", "check the model's name"
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError):
        return f"it cannot be written here ({error.strerror})", "make room or give leave"
    return "the hub cannot be reached", "try again with a network"


def _download(hub_id: str, folder: Path) -> Path:
    """The files that the libraries here read: safetensors where there are any, else torch's own."""
    from huggingface_hub import HfApi, snapshot_download

    info: Any = HfApi().model_info(hub_id, revision=REVISION, timeout=20)
    names = [file.rfilename for file in info.siblings or ()]
    left_out = [*_OTHER_FORMATS, _TORCH] if any(n.endswith(".safetensors") for n in names) else [*_OTHER_FORMATS]
    path = snapshot_download(hub_id, revision=REVISION, cache_dir=folder, ignore_patterns=left_out)
    return Path(path)
