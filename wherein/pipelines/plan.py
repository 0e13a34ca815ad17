"""Plan an ingest: scan, diff, and whether the settings still fit the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.errors import WhereinError
from store.files import FileRow
from store.records import Scan
from tasks.diff import Diff, diff, everything, guard
from tasks.read import READERS, Unread, load
from tasks.scan import Rules, scan
from wherein.pipelines.shape import beyond_reranker, clamped, costly, differing, shape_of
from wherein.settings import FILE
from wherein.workspace import Workspace

_CHARACTERS_PER_TOKEN = 4
_TOLD = ("fingerprint", "header")
"""Parts of the shape that change with others, which say more."""


@dataclass(frozen=True)
class IngestOptions:
    """The flags of `wherein ingest`."""

    dry_run: bool = False
    verify: bool = False
    rebuild: bool = False
    forget: bool = False
    allow_deletes: bool = False
    wait_seconds: float = 0.0


@dataclass
class Plan:
    """What a run has found to do; `anew`: every file is read again; `rederive`: texts are analysed again."""

    root: Path
    scan: Scan
    diff: Diff
    shape: dict[str, Any]
    anew: bool = False
    rederive: bool = False
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.diff)


@dataclass(frozen=True)
class Known:
    """What the catalog says before a run."""

    live: Mapping[str, FileRow]
    settings: dict[str, Any] | None
    last_scan_ns: int


def rules(workspace: Workspace, name: str) -> Rules:
    collection = workspace.collection(name)
    return Rules(
        include=tuple(collection.include),
        exclude=tuple(collection.exclude),
        gitignore=collection.gitignore,
        follow_symlinks=collection.follow_symlinks,
        extensions=frozenset(READERS),
        skip_paths=frozenset(map(str, (workspace.state, workspace.results, workspace.folder / FILE))),
    )


def make(workspace: Workspace, name: str, known: Known, options: IngestOptions) -> Plan:
    """Scan and diff; raises if the root is away, if most files are gone, or if only a rebuild would do."""
    situate_check(workspace)
    root = workspace.path(workspace.collection(name).path)
    shape = shape_of(workspace, name)
    changes = differing(known.settings, shape) if known.settings else {}
    notes = clamped(workspace, shape) + beyond_reranker(workspace, shape)
    found = scan(root, rules(workspace, name))
    if options.rebuild:
        plan = Plan(root, found, everything(found, known.live, root), shape, anew=True, notes=notes)
    else:
        limit = max_bytes(workspace, name)
        result = diff(
            found, known.live, root, lambda path: _digest(path, limit), last_scan_ns=known.last_scan_ns,
            verify=options.verify,
        )  # fmt: skip
        plan = Plan(root, found, result, shape, rederive=bool(changes), notes=notes)
        _check_settings(workspace, name, known, plan, changes)
    if not options.allow_deletes:
        guard(plan.diff, known.live, root)
    return plan


def max_bytes(workspace: Workspace, name: str) -> int:
    return int(workspace.collection(name).max_file_mb * 1_000_000)


def _digest(path: Path, limit: int) -> str | None:
    try:
        return load(path, limit).sha256
    except Unread:
        return None


def _check_settings(
    workspace: Workspace, name: str, known: Known, plan: Plan, changes: Mapping[str, Mapping[str, Any]]
) -> None:
    costing = costly(changes, plan.shape)
    if costing:
        sizes = [row.size_bytes for row in known.live.values()]
        texts, tokens = estimate(plan, sizes)
        asked = calls(workspace, plan.shape, [(texts_in(plan.shape, size), size) for size in sizes])
        also = f" and ask {asked['model']!r} for up to {asked['calls']:,} sentences" if asked else ""
        raise WhereinError(
            f"Collection {name!r} was indexed with other settings ({describe(changes, costing)}):"
            f" `wherein ingest {name} --rebuild` would embed about {texts:,} texts ({tokens:,} tokens){also};"
            " or set them back.",
            kind="settings-differ",
        )
    if changes:
        plan.notes.append(f"Settings differ ({describe(changes, sorted(changes))}): the texts are analysed again.")


def describe(changes: Mapping[str, Mapping[str, Any]], keys: list[str]) -> str:
    """`chunking.size 256 -> 128`, for each setting that differs."""
    parts = []
    for key in keys:
        before, after = changes[key]["index"], changes[key]["settings"]
        if isinstance(before, dict) and isinstance(after, dict):
            names = sorted(n for n in {*before, *after} if before.get(n) != after.get(n) and n not in _TOLD)
            parts += [part for n in names for part in _changed(f"{key}.{n}", before.get(n), after.get(n))] or [key]
        else:
            parts.append(f"{key} {before!r} -> {after!r}")
    return ", ".join(parts)


def _changed(name: str, before: Any, after: Any) -> list[str]:
    """A setting that differs; of what a language model wrote, the model or its prompt, where both have one."""
    if name != "chunking.llm":
        return [f"{name} {before!r} -> {after!r}"]
    if not (before and after):
        return []
    said = {"model": "synthesis.model", "prompt": "the prompt"}
    return [f"{said[n]} {before[n][:32]!r} -> {after[n][:32]!r}" for n in said if before[n] != after[n]]


def situate_check(workspace: Workspace) -> None:
    """Raises WhereinError (exit 2) if sentences are to be written and no model is named that writes."""
    if workspace.settings.chunking.context == "llm":
        from wherein.pipelines import situate

        situate.check(workspace)


def calls(workspace: Workspace, shape: Mapping[str, Any], files: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What sentences on files of (chunks, bytes) would cost at most; empty where none are wanted."""
    if shape["chunking"]["context"] != "llm":
        return {}
    from wherein.pipelines import situate

    tokens = [(chunks, size // _CHARACTERS_PER_TOKEN) for chunks, size in files]
    return situate.priced(workspace, tokens, shape["chunking"]["size"])


def estimate(plan: Plan, sizes: list[int]) -> tuple[int, int]:
    """Roughly how many texts and tokens some files come to, from their sizes in bytes."""
    return sum(texts_in(plan.shape, size) for size in sizes), sum(sizes) // _CHARACTERS_PER_TOKEN


def texts_in(shape: Mapping[str, Any], size_bytes: int) -> int:
    """Roughly how many texts a file of a size is cut into."""
    step = max(1, shape["chunking"]["size"] - shape["chunking"]["overlap"])
    texts: int = -(-size_bytes // _CHARACTERS_PER_TOKEN) // step + 1
    return texts
