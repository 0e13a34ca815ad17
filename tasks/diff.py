"""Compare a scan with the catalog: stat is the filter, bytes decide."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store.errors import WhereinError
from store.files import FileRow
from store.records import FileStat, Problem, Scan
from tasks.stage import stage

RACY_NS = 2_000_000_000
RETRIED = frozenset({"over-limit", "placeholder"})
_MOST_GONE = 0.5
_FEW = 20
Pair = tuple[FileRow, FileStat]
Digest = Callable[[Path], str | None]
"""The sha256 (hex) of a file, or None if it cannot be read now."""


@dataclass(slots=True)
class Diff:
    """What a run has to do. `excluded`: rows that a rule now leaves out; `blocked`: rows in folders unlistable."""

    added: list[FileStat] = field(default_factory=list)
    changed: list[Pair] = field(default_factory=list)
    touched: list[Pair] = field(default_factory=list)
    renamed: list[Pair] = field(default_factory=list)
    deleted: list[FileRow] = field(default_factory=list)
    excluded: list[FileRow] = field(default_factory=list)
    blocked: list[tuple[FileRow, Problem]] = field(default_factory=list)
    unchanged: list[FileRow] = field(default_factory=list)
    racy: int = 0

    def __len__(self) -> int:
        return sum(
            len(part) for part in (self.added, self.changed, self.touched, self.renamed, self.deleted, self.unchanged)
        )

    def replaced(self) -> Iterable[Pair | tuple[None, FileStat]]:
        """What has to be read, in path order: new and changed files."""
        work: list[Pair | tuple[None, FileStat]] = [*((None, s) for s in self.added), *self.changed]
        return sorted(work, key=lambda pair: pair[1].path)


def same_stat(row: FileRow, stat: FileStat) -> bool:
    return (
        row.size_bytes == stat.size_bytes
        and row.mtime_ns == stat.mtime_ns
        and row.ctime_ns == stat.ctime_ns
        and row.inode == stat.inode
    )


@stage("diff")
def diff(
    scan: Scan, live: Mapping[str, FileRow], root: Path, digest: Digest, *, last_scan_ns: int, verify: bool = False
) -> Diff:
    """Sort every file seen or gone into one class.

    `last_scan_ns`: start of the last recorded scan; a file changed within RACY_NS before it, or later, is
    hashed again, since its stat may hide a later write.
    """
    result = Diff()
    seen = set()
    for stat in scan.files:
        seen.add(stat.path)
        row = live.get(stat.path)
        if row is None:
            result.added.append(stat)
        elif row.state == "failed" or row.kind in RETRIED:
            result.changed.append((row, stat))
        elif same_stat(row, stat) and not verify and stat.mtime_ns < last_scan_ns - RACY_NS:
            result.unchanged.append(row)
        else:
            _by_bytes(result, row, stat, digest(root / stat.path))
    _missing(result, scan, [row for path, row in live.items() if path not in seen], root)
    _renames(result, root, digest)
    return result


@stage("diff")
def everything(scan: Scan, live: Mapping[str, FileRow], root: Path) -> Diff:
    """Every file met has to be read anew, whatever the catalog says."""
    result = Diff()
    for stat in scan.files:
        row = live.get(stat.path)
        if row is None:
            result.added.append(stat)
        else:
            result.changed.append((row, stat))
    met = {stat.path for stat in scan.files}
    _missing(result, scan, [row for path, row in live.items() if path not in met], root)
    return result


def _by_bytes(result: Diff, row: FileRow, stat: FileStat, sha256: str | None) -> None:
    result.racy += 1
    if sha256 is None or sha256 != row.sha256:
        result.changed.append((row, stat))
    elif same_stat(row, stat):
        result.unchanged.append(row)
    else:
        result.touched.append((row, stat))


def _missing(result: Diff, scan: Scan, rows: list[FileRow], root: Path) -> None:
    """Rows the scan did not meet: behind a closed folder, left out by a rule, or gone."""
    closed = {problem.path: problem for problem in scan.unlistable}
    for row in sorted(rows, key=lambda r: r.path):
        problem = _closing(closed, row.path)
        if problem is not None:
            result.blocked.append((row, problem))
        elif os.path.lexists(root / row.path):
            result.excluded.append(row)
        else:
            result.deleted.append(row)


def _closing(closed: Mapping[str, Problem], path: str) -> Problem | None:
    parts = path.split("/")
    folders = ("/".join(parts[:n]) + "/" for n in range(1, len(parts)))
    return next((closed[folder] for folder in folders if folder in closed), None)


def _renames(result: Diff, root: Path, digest: Digest) -> None:
    """Pair new paths with gone ones that held the same bytes, each once, in path order."""
    by_size: dict[int, list[FileRow]] = {}
    for row in result.deleted:
        if row.sha256 is not None and row.state in ("indexed", "empty"):
            by_size.setdefault(row.size_bytes, []).append(row)
    gone: set[int] = set()
    for stat in result.added:
        candidates = [row for row in by_size.get(stat.size_bytes, ()) if row.id not in gone]
        sha256 = digest(root / stat.path) if candidates else None
        match = next((row for row in candidates if row.sha256 == sha256), None)
        if match is not None:
            gone.add(match.id)
            result.renamed.append((match, stat))
    paths = {stat.path for _, stat in result.renamed}
    result.added = [stat for stat in result.added if stat.path not in paths]
    result.deleted = [row for row in result.deleted if row.id not in gone]


def guard(result: Diff, live: Mapping[str, FileRow], root: Path) -> None:
    """Refuse to lose a collection: raises if files are gone so that none is left, or over half of 20 or more."""
    before = [row for row in live.values() if row.state != "skipped"]
    gone = [row for row in result.deleted if row.state != "skipped"]
    left = len(before) - len(gone) + len(result.added)
    if not gone or (left > 0 and not (len(before) >= _FEW and len(gone) > _MOST_GONE * len(before))):
        return
    raise WhereinError(
        f"{len(gone)} of {len(before)} files are gone from {root}: the index was left as it is;"
        " if they were deleted on purpose, run again with --allow-deletes.",
        kind="mass-deletion",
    )
