"""Confidence thresholds: those fitted on these collections, else the shipped ones of a known model."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from store import disk, lock
from store.errors import usage
from tasks.models import RerankConfig, rerank_spec
from wherein.workspace import Workspace

FILE = "wherein.calibration.json"
SHIPPED: dict[tuple[str, str], float] = {
    ("rerank", "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"): -10.0,
}
"""(signal, model digest): below it the evidence is weak. Shipped thresholds never say none.

Of the bundled reranker. On eight judged sets at most 5 % of the questions that have an answer lie below, also where
only five passages beside those of the answer are indexed; of questions on other matters, 26 to 78 % do. No cosine of
the bundled embedding model holds over all of them (docs/measurements.md, "Shipped thresholds").
"""


@dataclass(frozen=True, slots=True)
class Levels:
    """Below `weak` evidence is weak, below `none` there is no answer; None where nothing is known.

    `note` says so if thresholds were fitted, but for another model or other collections.
    """

    weak: float | None
    none: float | None
    note: str = ""


def levels(workspace: Workspace, signal: str, digest: str, collections: Collection[str]) -> Levels:
    """The levels of a signal ("rerank" or "vector") of a model over the collections that were searched."""
    entries = [entry for entry in _entries(workspace) if entry["signal"] == signal]
    for entry in entries:
        if entry["model"] == digest and set(collections) <= set(entry["collections"]):
            return Levels(entry["weak"], entry["none"])
    return Levels(SHIPPED.get((signal, digest)), None, _void(entries, digest))


def keep(workspace: Workspace, entry: dict[str, Any]) -> None:
    """Write an entry in the place of the one for the same signal, model and collections."""
    identity = [entry[key] for key in ("signal", "model", "collections")]
    with lock.rewriting(workspace.folder):
        others = [e for e in _entries(workspace) if [e[key] for key in ("signal", "model", "collections")] != identity]
        text = json.dumps({"thresholds": [*others, entry]}, ensure_ascii=False, indent=1) + "\n"
        disk.write_file(workspace.folder / FILE, [text.encode("utf-8")])


def rerank_digest(config: RerankConfig) -> str:
    """What tells this reranker from others."""
    return rerank_spec(config).digest


def _void(entries: list[dict[str, Any]], digest: str) -> str:
    if not entries:
        return ""
    what = "other collections" if any(entry["model"] == digest for entry in entries) else "another model"
    return (
        f"the fitted thresholds of {FILE} are for {what} and were not used: fit them again (`wherein evaluate --apply`)"
    )


def _entries(workspace: Workspace) -> list[dict[str, Any]]:
    """Raises WhereinError (exit 2) if the file is not what an evaluation writes."""
    path = workspace.folder / FILE
    if not path.exists():
        return []
    try:
        return [_checked(entry) for entry in json.loads(path.read_text(encoding="utf-8"))["thresholds"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise usage(f"{path} cannot be read ({error}): fit the thresholds again, or remove the file.") from error


def _checked(entry: dict[str, Any]) -> dict[str, Any]:
    for level in (entry.setdefault("weak", None), entry.setdefault("none", None)):
        if isinstance(level, bool) or not isinstance(level, int | float | None):
            raise TypeError(f"{level!r} is no threshold")
    return {**entry, "signal": entry["signal"], "model": entry["model"], "collections": sorted(entry["collections"])}
