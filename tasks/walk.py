"""A walk over a root: each folder listed once, each file the rules take looked at once, none opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from store.records import FileStat, Problem
from tasks.globs import compile_globs, nfc
from tasks.ignore import Ignore

Entry = os.DirEntry[str]

_NEVER_ENTERED = frozenset({"node_modules", "__pycache__"})
_ENVIRONMENT = frozenset({"pyvenv.cfg", "conda-meta"})
"""A folder that holds one of these is a virtual environment, whatever its name."""

_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Rules:
    """Which files of a root are taken.

    `include`, `exclude`: globs on the path relative to the root, without case. `extensions`: those that have
    a reader, lower-case with the dot. `skip_paths`: absolute; folders that are never entered, files left out uncounted.
    """

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    gitignore: bool
    follow_symlinks: bool
    extensions: frozenset[str]
    skip_paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to list: relative to the root, with a slash at the end (the root itself is empty).

    `real` is where it lies; it differs from `path` only below a followed symbolic link.
    """

    path: str
    real: str
    ignore: Ignore


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link no rule leaves out; `ignore` is in force in the folder that holds it."""

    path: str
    folder: bool
    ignore: Ignore


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a folder that their names alone do not leave out."""

    folders: list[Entry]
    files: list[Entry]
    links: list[Entry]
    ignore_files: list[Entry]


class Walk:
    """What has been found so far. `entered` maps where a folder lies to the path it was entered by."""

    def __init__(self, root: Path, rules: Rules) -> None:
        self.root = root
        self.files: list[FileStat] = []
        self.links: list[Link] = []
        self.skipped: list[Problem] = []
        self.unlistable: list[Problem] = []
        self.excluded = 0
        self.entered: dict[str, str] = {}
        self._base = f"{root}/"
        self._extensions = rules.extensions
        self._include = compile_globs(rules.include)
        self._exclude = compile_globs(rules.exclude)
        self._ignore_names = {".whereinignore", ".gitignore"} if rules.gitignore else {".whereinignore"}
        self._skip = frozenset(_relative(root, rules.skip_paths))

    def enter(self, folder: Folder) -> None:
        """Walk a folder and everything below it. Raises OSError if the root itself cannot be listed."""
        waiting = [folder]
        while waiting:
            waiting += self._visit(waiting.pop())

    def takes(self, path: str, name: str, ignore: Ignore) -> bool:
        """Whether the rules let a file of this path in."""
        if name[name.rfind(".") :].lower() not in self._extensions:
            return False
        seen = nfc(path)
        if self._include is None or not self._include(seen) or (self._exclude and self._exclude(seen)):
            return False
        return not ignore.files or not ignore.ignored(seen, nfc(name), folder=False)

    def _enters(self, path: str, name: str, ignore: Ignore) -> bool:
        """Whether the rules let a folder of this path in."""
        seen = nfc(path)
        if name in _NEVER_ENTERED or (self._exclude and self._exclude(f"{seen}/")):
            return False
        return not ignore.files or not ignore.ignored(seen, nfc(name), folder=True)

    def _visit(self, folder: Folder) -> list[Folder]:
        try:
            return self._list(folder)
        except OSError as error:
            if not folder.path:
                raise
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                self.unlistable.append(Problem(shown(folder.path), "unlistable", reason(error)))
        return []

    def _list(self, folder: Folder) -> list[Folder]:
        if folder.real in self.entered:
            return []
        with os.scandir(self._base + folder.path) as iterator:
            entries = list(iterator)
        if folder.path and any(entry.name in _ENVIRONMENT for entry in entries):
            return []
        listing = self._divide(entries)
        inside = Folder(folder.path, folder.real, self._ignore_of(folder, listing.ignore_files))
        self.files += self._take(inside, listing.files)
        self.links += self._named_links(inside, listing.links)
        self.entered[folder.real] = folder.path
        return list(self._below(inside, listing.folders))

    def _divide(self, entries: list[Entry]) -> Listing:
        listing = Listing([], [], [], [])
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if name[0] != ".":
                    listing.folders.append(entry)
            elif name[0] == ".":
                self.excluded += 1
                if name in self._ignore_names:
                    listing.ignore_files.append(entry)
            elif entry.is_symlink():
                listing.links.append(entry)
            else:
                listing.files.append(entry)
        return listing

    def _ignore_of(self, folder: Folder, entries: list[Entry]) -> Ignore:
        """The rules in force in a folder. A file of rules that cannot be read leaves its folder unlisted."""
        ignore = folder.ignore
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):
                    ignore = ignore.below(Path(self._base + folder.path + entry.name), len(nfc(folder.path)))
        return ignore

    def _take(self, folder: Folder, entries: list[Entry]) -> list[FileStat]:
        found = []
        for entry in entries:
            path = folder.path + entry.name
            if not self.takes(path, entry.name, folder.ignore):
                self.excluded += folder.real + entry.name not in self._skip
            elif path.isascii() or self._is_text(path):
                try:
                    stat = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # gone since the folder was listed
                    continue
                if S_ISREG(stat.st_mode):
                    found.append(file_stat(path, stat))
                else:
                    self.excluded += 1
        return found

    def _named_links(self, folder: Folder, entries: list[Entry]) -> Iterator[Link]:
        for entry in entries:
            path, leads_to_folder = folder.path + entry.name, _leads_to_folder(entry)
            lets_in = self._enters if leads_to_folder else self.takes
            if not lets_in(path, entry.name, folder.ignore):
                self.excluded += 1
            elif self._is_text(path):
                yield Link(path, leads_to_folder, folder.ignore)

    def _below(self, folder: Folder, entries: list[Entry]) -> Iterator[Folder]:
        for entry in entries:
            path, real = f"{folder.path}{entry.name}", f"{folder.real}{entry.name}"
            if real in self._skip or not self._enters(path, entry.name, folder.ignore):
                continue
            if self._is_text(f"{path}/"):
                yield Folder(f"{path}/", f"{real}/", folder.ignore)

    def skips(self, real: str) -> bool:
        """Whether a path, relative to where the root lies, is in a folder that is never entered."""
        return any(real == path or real.startswith(f"{path}/") for path in self._skip)

    def _is_text(self, path: str) -> bool:
        if path.isascii() or path == shown(path):
            return True
        self.skipped.append(Problem(shown(path), "name", "its name is not valid text"))
        return False


def file_stat(path: str, stat: os.stat_result) -> FileStat:
    """The record of what the system says of a file, within the 64 signed bits that the catalog keeps of a number."""
    mtime_ns, ctime_ns = (max(-_INT64, min(ns, _INT64 - 1)) for ns in (stat.st_mtime_ns, stat.st_ctime_ns))
    return FileStat(path, stat.st_size, mtime_ns, ctime_ns, (stat.st_ino + _INT64) % (2 * _INT64) - _INT64)


def reason(error: OSError) -> str:
    """What the system says is wrong, as a clause."""
    return (error.strerror or type(error).__name__).lower()


def shown(path: str) -> str:
    """A path that can be printed: what is not text in it is replaced."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _leads_to_folder(link: Entry) -> bool:
    try:
        return link.is_dir()
    except OSError:  # a loop of links leads nowhere
        return False


def _relative(root: Path, folders: frozenset[str]) -> Iterator[str]:
    """Those of the folders that lie below the root, relative to it."""
    real = Path(os.path.realpath(root))
    for folder in folders:
        path = Path(os.path.realpath(folder))
        if path != real and path.is_relative_to(real):
            yield path.relative_to(real).as_posix()
