"""Ignore files as git reads them: the last matching line decides, a deeper file before a higher one.

A folder that is ignored is never entered, so nothing in it can be taken back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tasks.globs import BadGlob, Match, either, nfc, translate

_SPECIAL = frozenset("*?[\\")


@dataclass(frozen=True, slots=True)
class Line:
    """One pattern. `by_name`: without a slash, so it is held against the last name of a path alone."""

    body: str
    negated: bool
    folders_only: bool
    by_name: bool
    source: str
    match: Match


class Sieve:
    """A quick test of whether any of some lines speaks of a text; most texts match none."""

    __slots__ = ("_ends", "_match", "_whole")

    def __init__(self, lines: list[Line]) -> None:
        whole, ends, wild = [], [], []
        for line in lines:
            if _SPECIAL.isdisjoint(line.body):
                whole.append(line.body)
            elif line.by_name and line.body[0] == "*" and _SPECIAL.isdisjoint(line.body[1:]):
                ends.append(line.body[1:])
            else:
                wild.append(line.source)
        self._whole = frozenset(whole)
        self._ends = tuple(ends)
        self._match = re.compile(either(wild), re.DOTALL).fullmatch if wild else None

    def __call__(self, text: str) -> bool:
        if text in self._whole or text.endswith(self._ends):
            return True
        return self._match is not None and self._match(text) is not None


class IgnoreFile:
    """The patterns of one ignore file; `depth` is the length of its folder's path, with the slash."""

    __slots__ = ("_depth", "_lines", "_names", "_paths")

    def __init__(self, text: str, depth: int) -> None:
        self._depth = depth
        self._lines = [line for line in map(_line, text.split("\n")) if line is not None]
        self._names = Sieve([line for line in self._lines if line.by_name])
        self._paths = Sieve([line for line in self._lines if not line.by_name])

    def verdict(self, path: str, name: str, *, folder: bool) -> bool | None:
        """True: ignored; False: taken back; None: no line speaks of it."""
        below = path[self._depth :]
        if not self._names(name) and not self._paths(below):
            return None
        for line in reversed(self._lines):
            if (folder or not line.folders_only) and line.match(name if line.by_name else below):
                return not line.negated
        return None


@dataclass(frozen=True, slots=True)
class Ignore:
    """The ignore files in force in a folder, deepest first; one's own stand before git's."""

    files: tuple[IgnoreFile, ...] = ()
    own: int = 0

    def ignored(self, path: str, name: str, *, folder: bool) -> bool:
        """Whether `path` (relative to the root, NFC) is left out; its parents are known not to be."""
        for file in self.files:
            verdict = file.verdict(path, name, folder=folder)
            if verdict is not None:
                return verdict
        return False

    def below(self, path: Path, depth: int) -> Ignore:
        """With the ignore file at `path` added. Raises OSError."""
        file = IgnoreFile(path.read_bytes().decode("utf-8-sig", "surrogateescape"), depth)
        if path.name == ".gitignore":
            return Ignore((*self.files[: self.own], file, *self.files[self.own :]), self.own)
        return Ignore((file, *self.files), self.own + 1)


NO_IGNORE = Ignore()


def _line(text: str) -> Line | None:
    """The pattern of a line; None for a blank, a comment, or what can match nothing."""
    if text.startswith("#"):
        return None
    trimmed = _trim(text.removesuffix("\r"))
    negated = trimmed.startswith("!")
    body = nfc(trimmed[negated:])
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    if "/" not in body.removeprefix("**/"):
        body = body.removeprefix("**/")
    by_name = "/" not in body
    body = body.removeprefix("/")
    try:
        source = translate(body)
    except BadGlob:
        return None
    return Line(body, negated, folders_only, by_name, source, re.compile(source, re.DOTALL).fullmatch)


def _trim(text: str) -> str:
    """Without the spaces at its end, unless a backslash keeps the first of them."""
    bare = text.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + 1] if slashes % 2 and len(bare) < len(text) else bare
