"""Find the files that golden questions name among those that are indexed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from tasks.evaluation.golden import Question, Relevant
from tasks.globs import nfc

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A path of a question that names no indexed file, or several; `reason` completes "PATH …"."""

    id: str
    path: str
    reason: str


def resolve(
    questions: Iterable[Question],
    paths: Mapping[str, Collection[str]],
    roots: Mapping[str, str] | None = None,
) -> tuple[list[Question], list[Unresolved]]:
    """The questions with `collection` and `path` (as the index has it) filled in, and what could not be found.

    A golden path is a path relative to a root, else one that begins with the last folders of the root or with the
    collection's name ("journal/a.md"), else either without its extension, else a stem that only one file has. What
    is not found stays as it is, with no collection.

    `paths`: relative ones by collection, those that are indexed; `roots`: the folder of each, POSIX.
    """
    files = _Files(paths, roots or {})
    problems: list[Unresolved] = []
    return [_resolved(question, files, problems) for question in questions], problems


def _resolved(question: Question, files: _Files, problems: list[Unresolved]) -> Question:
    relevant = []
    for entry in question.relevant:
        found = files.named(entry)
        if len(found) == 1:
            collection, path = found[0]
            relevant.append(replace(entry, collection=collection, path=path))
        else:
            problems.append(Unresolved(question.id, entry.path, files.reason(entry, found)))
            relevant.append(replace(entry, collection=None))
    return replace(question, relevant=tuple(relevant))


Place = tuple[str, str]
"""(collection, path)."""


class _Files:
    """What is indexed, by each way of naming it."""

    def __init__(self, paths: Mapping[str, Collection[str]], roots: Mapping[str, str]) -> None:
        self._names = sorted(paths)
        self._roots = {name: PurePosixPath(nfc(roots.get(name, name))).parts for name in paths}
        self._places = sorted((name, path) for name, found in paths.items() for path in found)

    @cached_property
    def _whole(self) -> dict[Place, Place]:
        return {(name, nfc(path)): (name, path) for name, path in self._places}

    @cached_property
    def _bare(self) -> dict[Place, list[Place]]:
        """By path without extension."""
        found: dict[Place, list[Place]] = {}
        for name, path in self._places:
            found.setdefault((name, str(PurePosixPath(nfc(path)).with_suffix(""))), []).append((name, path))
        return found

    @cached_property
    def _stems(self) -> dict[Place, list[Place]]:
        found: dict[Place, list[Place]] = {}
        for name, path in self._places:
            found.setdefault((name, PurePosixPath(nfc(path)).stem), []).append((name, path))
        return found

    @cached_property
    def _files(self) -> dict[str, list[Place]]:
        """By file name."""
        found: dict[str, list[Place]] = {}
        for place in self._places:
            found.setdefault(PurePosixPath(nfc(place[1])).name, []).append(place)
        return found

    def named(self, entry: Relevant) -> list[Place]:
        """The files that the strictest reading of the path gives."""
        parts = _parts(entry.path)
        names = [name for name in self._names if entry.collection in (None, name)]
        below = [(name, self._below(name, parts)) for name in names]
        readings = (
            [self._whole[name, "/".join(parts)] for name in names if (name, "/".join(parts)) in self._whole],
            [self._whole[name, path] for name, path in below if (name, path) in self._whole],
            [place for name in names for place in self._bare.get((name, "/".join(parts)), ())],
            [place for name, path in below for place in self._bare.get((name, path), ())],
            [place for name in names for place in self._stems.get((name, "/".join(parts)), ())],
        )
        return next((sorted(set(found)) for found in readings if found), [])

    def _below(self, name: str, parts: Sequence[str]) -> str:
        """The path below the root of a collection, if it begins with the root's last folders; else ""."""
        root = self._roots[name]
        for count in range(len(parts) - 1, 0, -1):
            head = tuple(parts[:count])
            if head == root[-count:] or head == (name,):
                return "/".join(parts[count:])
        return ""

    def reason(self, entry: Relevant, found: Sequence[Place]) -> str:
        if found:
            return f"could be {_listed(found)}"
        if entry.collection is not None and entry.collection not in self._names:
            return f"is said to be in the collection {entry.collection!r}, which is not read"
        elsewhere = self._files.get(_parts(entry.path)[-1] if _parts(entry.path) else "", [])
        return f"is not indexed there, but as {_listed(elsewhere)}" if elsewhere else "is not indexed"


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in PurePosixPath(nfc(path)).parts if part != ".")


def _listed(places: Sequence[Place]) -> str:
    shown = [f"{path} of {name}" for name, path in places[:_SHOWN]]
    more = len(places) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
