"""Read one file whole, and make a document of its bytes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from store.records import Document
from tasks.decode import decode
from tasks.front_matter import read_front_matter
from tasks.unread import Unread
from tasks.walk import reason

__all__ = ["READERS", "Loaded", "Unread", "load", "parse"]

_TRIES = 3
_PLACEHOLDER_BYTES = 64 * 1024
"""A smaller file without blocks may lie in its directory entry."""
_DATALESS = 0x40000000
"""macOS `st_flags`: the contents are in the cloud."""
_RECALL = 0x00400000
"""Windows `st_file_attributes`: reading calls the contents back."""

_HEADING = re.compile(r"(?<![^\r\n]) {0,3}(?:(?P<fence>```|~~~)|#[ \t]+(?P<title>[^\r\n]*))")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#*[ \t]*$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's bytes; `stat` is from before they were read, and still held afterwards."""

    data: bytes
    sha256: str
    stat: os.stat_result


def load(path: Path, max_bytes: int | None = None) -> Loaded:
    """Read a file that holds still: one that changes meanwhile is read again, three times at most.

    Raises Unread.
    """
    for _ in range(_TRIES):
        loaded = _load_once(path, max_bytes)
        if loaded is not None:
            return loaded
    raise Unread("changing", "it changes while it is read")


def parse(data: bytes, suffix: str) -> Document:
    """The document in a file's bytes, by its extension with the dot. Raises Unread."""
    reader = READERS.get(suffix.lower())
    if reader is None:
        raise Unread("unreadable", f"nothing reads files that end in {suffix or 'no extension'}")
    return reader(data)


def read_text(data: bytes) -> Document:
    """Plain text: all of it."""
    found = decode(data)
    return Document(found.text, found.encoding, note=found.note)


def read_markdown(data: bytes) -> Document:
    """Markdown: front matter apart; the title is the front matter's, else the first `# heading`."""
    found = decode(data)
    front = read_front_matter(found.text)
    title = front.title or _first_heading(found.text, front.body_start)
    return Document(found.text, found.encoding, front.body_start, title, front.values, found.note)


READERS: dict[str, Callable[[bytes], Document]] = {".md": read_markdown, ".txt": read_text}


def _load_once(path: Path, max_bytes: int | None) -> Loaded | None:
    """None if the file changed meanwhile."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            return _read_held(descriptor, max_bytes)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unread(error) from error


def _read_held(descriptor: int, max_bytes: int | None) -> Loaded | None:
    before = os.fstat(descriptor)
    _check(before, max_bytes)
    data = _read(descriptor, before.st_size)
    after = os.fstat(descriptor)
    if len(data) != before.st_size or _state(before) != _state(after):
        return None
    return Loaded(data, hashlib.sha256(data).hexdigest(), before)


def _read(descriptor: int, size: int) -> bytes:
    """Up to one byte more than the file is said to hold: enough to see that it has grown."""
    parts = []
    left = size + 1
    while left > 0 and (part := os.read(descriptor, left)):
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _state(stat: os.stat_result) -> tuple[int, int, int]:
    return (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _check(stat: os.stat_result, max_bytes: int | None) -> None:
    if not S_ISREG(stat.st_mode):
        raise Unread("changing", "it is no longer a file")
    if max_bytes is not None and stat.st_size > max_bytes:
        raise Unread("over-limit", f"it holds {stat.st_size:,} bytes, more than the {max_bytes:,} allowed")
    if _is_placeholder(stat):
        raise Unread("placeholder", f"its {stat.st_size:,} bytes are not on this disk")


def _is_placeholder(stat: os.stat_result) -> bool:
    away = getattr(stat, "st_flags", 0) & _DATALESS or getattr(stat, "st_file_attributes", 0) & _RECALL
    return bool(away) or (stat.st_size > _PLACEHOLDER_BYTES and getattr(stat, "st_blocks", 1) == 0)


def _unread(error: OSError) -> Unread:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unread("missing", "it is gone since the folder was listed")
    if isinstance(error, IsADirectoryError):
        return Unread("changing", "it is no longer a file")
    if isinstance(error, PermissionError):
        return Unread("permission", "permission denied")
    return Unread("unreadable", reason(error))


def _first_heading(text: str, start: int) -> str | None:
    """The text of the first heading of the first level outside code fences."""
    fence = None
    for found in _HEADING.finditer(text, start):
        if found["fence"] is not None:
            fence = None if fence == found["fence"] else fence or found["fence"]
        elif fence is None and (title := _CLOSING_MARKS.sub("", found["title"]).strip()):
            return title
    return None
