"""Confidence thresholds: those fitted on this corpus, else the shipped ones of a known model."""

from __future__ import annotations

import json
from typing import Any

from store.errors import usage
from tasks.models import RerankConfig, rerank_spec
from wherein.workspace import Workspace

FILE = "wherein.calibration.json"
SHIPPED: dict[tuple[str, str], float] = {}
"""(signal, model digest): below it the evidence is weak. Shipped thresholds never say none."""


def thresholds(workspace: Workspace, signal: str, digest: str) -> tuple[float | None, float | None]:
    """(weak, none) for a signal ("rerank" or "vector") of a model; None where nothing is known."""
    fitted = _fitted(workspace, signal, digest)
    if fitted is not None:
        return fitted.get("weak"), fitted.get("none")
    return SHIPPED.get((signal, digest)), None


def _fitted(workspace: Workspace, signal: str, digest: str) -> dict[str, Any] | None:
    path = workspace.folder / FILE
    if not path.exists():
        return None
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["thresholds"]
        found = [e for e in entries if (e["signal"], e["model"]) == (signal, digest)]
    except (ValueError, KeyError, TypeError) as error:
        raise usage(f"{path} cannot be read ({error}): fit the thresholds again, or remove the file.") from error
    return found[0] if found else None


def rerank_digest(config: RerankConfig) -> str:
    """What tells this reranker from others."""
    return rerank_spec(config).digest
