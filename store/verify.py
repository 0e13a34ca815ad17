"""Check derived files: cheaply by their recorded stat, by digest on any mismatch, once per stat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store import disk
from store.container import Container, Damaged

_STAT = ("size_bytes", "mtime_ns", "ctime_ns", "inode")


def _stat(path: Path) -> dict[str, int]:
    try:
        stat = path.stat()
    except OSError as error:
        raise Damaged(f"{path.name} is missing") from error
    return dict(zip(_STAT, (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino), strict=True))


def opened(path: Path, entry: dict[str, Any], log: Path | None) -> Container:
    """Open a derived file after checking it; raises Damaged, naming the file.

    `log`: the database that remembers, by stat, digests that matched.
    """
    check(path, entry, log)
    return Container(path)


def check(path: Path, entry: dict[str, Any], log: Path | None) -> None:
    """Look at the stat of a derived file, and digest it on any mismatch; raises Damaged, naming the file."""
    stat = _stat(path)
    if any(stat[key] != entry[key] for key in _STAT) and not _digest_matches(path, stat, entry, log):
        raise Damaged(f"{path.name} is cut or altered")


def problem(path: Path, entry: dict[str, Any], log: Path | None) -> str | None:
    """What is wrong with a derived file, if anything."""
    try:
        check(path, entry, log)
    except Damaged as damage:
        return str(damage)
    return None


def _digest_matches(path: Path, stat: dict[str, int], entry: dict[str, Any], log: Path | None) -> bool:
    from store.log import digest_seen, remember_digest

    mark = ":".join(str(stat[key]) for key in _STAT) + ":" + str(entry["digest"])
    if log is not None and digest_seen(log, str(path), mark):
        return True
    if not whole(path, entry):
        return False
    if log is not None:
        remember_digest(log, str(path), mark)
    return True


def whole(path: Path, entry: dict[str, Any]) -> bool:
    """Whether a file has the recorded size and digest."""
    try:
        return bool(path.stat().st_size == entry["size_bytes"] and disk.digest_file(path) == entry["digest"])
    except OSError:
        return False
