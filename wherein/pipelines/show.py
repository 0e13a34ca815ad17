"""The indexed text of a file, or of the chunks that cover a line of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from store.errors import NOT_FOUND, WhereinError, usage
from store.snapshot import Snapshot
from tasks.globs import nfc
from wherein.pipelines.inspect import opened
from wherein.workspace import Workspace

_LINE = re.compile(r"(?P<path>.+):(?P<line>[0-9]+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as it is indexed; offsets in code points of the file's text, half-open."""

    collection: str
    path: str
    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Found:
    collection: str
    path: str
    file_id: int
    content_id: int
    opening: Snapshot


def show(workspace: Workspace, target: str, chosen: Sequence[str] = ()) -> Shown:
    """`PATH` or `PATH:LINE`; a file whose whole name is the target comes first.

    Raises WhereinError: exit 4 if it is not indexed, 2 if several collections have it.
    """
    with opened(workspace, chosen) as found:
        whole = _only(target, _named(found, target))
        if whole is not None:
            text = whole.opening.text_of(whole.content_id)
            return Shown(whole.collection, whole.path, 0, len(text), text)
        match = _LINE.match(target)
        file = _only(match["path"], _named(found, match["path"])) if match else None
        if match is None or file is None:
            raise _not_indexed(match["path"] if match else target, [name for name, _ in found])
        return _around(file, int(match["line"]))


def _named(found: Sequence[tuple[str, Snapshot]], path: str) -> list[_Found]:
    wanted = nfc(path).removeprefix("./")
    return [
        _Found(name, nfc(row["path"]), row["id"], row["content_id"], opening)
        for name, opening in found
        for row in opening.files()
        if row["content_id"] is not None and nfc(row["path"]) == wanted
    ]


def _only(path: str, files: Sequence[_Found]) -> _Found | None:
    names = [file.collection for file in files]
    if len(set(names)) > 1:
        raise usage(f"{path} is in several collections ({', '.join(names)}): choose one with --collection.", "usage")
    return files[0] if files else None


def _around(file: _Found, line: int) -> Shown:
    """From the first to the last chunk that covers the line: they adjoin or overlap there."""
    spans = [span for span in file.opening.spans(file.file_id) if span[2] <= line <= span[3]]
    if not spans:
        raise WhereinError(
            f"Line {line} of {file.path} is in no indexed passage: `wherein show` without it prints the whole text.",
            kind="not-indexed",
            code=NOT_FOUND,
        )
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    text = file.opening.text_of(file.content_id)[start:end]
    return Shown(file.collection, file.path, start, end, text)


def _not_indexed(path: str, names: Sequence[str]) -> WhereinError:
    return WhereinError(
        f"{path} is not in the index of {', '.join(names)}: `wherein files` lists what is, by path below the root.",
        kind="not-indexed",
        code=NOT_FOUND,
    )
