"""The file of a backup: a zip of stored entries, a manifest first, then a catalog for each collection, and where
a language model wrote sentences on its chunks, those.

Nothing in it is compressed, so that it can hold no more than its own size, and no name in it is used as a path.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

from store import disk
from store.errors import WhereinError

FORMAT = "wherein backup"
VERSION = 2
_MANIFEST = "manifest.json"
_MANIFEST_BYTES = 1_000_000
_BLOCK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection in a backup; `sha256` and `size_bytes` of its catalog, and of its sentences where it has any."""

    collection: str
    generation: int
    files: int
    chunks: int
    size_bytes: int
    sha256: str
    sentences_bytes: int = 0
    sentences_sha256: str = ""

    def parts(self, number: int) -> list[Part]:
        """Its entries in the file."""
        catalog = Part(f"{number}.sqlite", self.size_bytes, self.sha256)
        sentences = Part(f"{number}.sentences.sqlite", self.sentences_bytes, self.sentences_sha256)
        return [catalog, sentences] if self.sentences_bytes else [catalog]


@dataclass(frozen=True, slots=True)
class Part:
    """An entry of the file."""

    name: str
    size_bytes: int
    sha256: str


_TYPES = {field.name: {"str": str, "int": int}[str(field.type)] for field in fields(Entry)}


def unfit(path: Path, detail: str) -> WhereinError:
    return WhereinError(
        f"{path} is not a whole backup of wherein ({detail}): nothing was changed; choose another file.", kind="backup"
    )


def write(path: Path, made_at: str, entries: Sequence[Entry], made: Mapping[str, Sequence[Path]]) -> None:
    """Write a backup and read it back; a file of that name is replaced only by a whole one.

    `made`: by collection, the files of its parts.
    """
    manifest = {"format": FORMAT, "version": VERSION, "made_at": made_at, "collections": [asdict(e) for e in entries]}
    with disk.written_whole(path) as (file, temporary):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(_info(_MANIFEST), json.dumps(manifest, indent=1).encode())
            for number, entry in enumerate(entries):
                for part, file_of_part in zip(entry.parts(number), made[entry.collection], strict=True):
                    with file_of_part.open("rb") as source, archive.open(_named(part), "w") as target:
                        _copy(source, target)
        file.flush()
        with opened(temporary) as backup:
            backup.check()


def _info(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, _EPOCH)


def _named(part: Part) -> zipfile.ZipInfo:
    info = _info(part.name)
    info.file_size = part.size_bytes
    return info


def _copy(source: IO[bytes], target: IO[bytes] | None) -> str:
    """Copy to the end; the sha256 (hex) of what was copied."""
    digest = hashlib.sha256()
    while block := source.read(_BLOCK):
        digest.update(block)
        if target is not None:
            target.write(block)
    return digest.hexdigest()


class Backup:
    """An open backup whose manifest fits its entries."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self._archive = archive
        self.entries = self._read()

    def _read(self) -> list[Entry]:
        listed = self._archive.infolist()
        if not listed or listed[0].filename != _MANIFEST or listed[0].file_size > _MANIFEST_BYTES:
            raise unfit(self.path, "it has no manifest")
        if any(info.compress_type or info.flag_bits & 1 or info.compress_size != info.file_size for info in listed):
            raise unfit(self.path, "it is compressed or encrypted")
        if sum(info.file_size for info in listed) > self.path.stat().st_size:
            raise unfit(self.path, "it says to hold more than its size")
        entries = _entries(self.path, self._archive.read(listed[0]))
        parts = (part for number, entry in enumerate(entries) for part in entry.parts(number))
        expected = [(part.name, part.size_bytes) for part in parts]
        if [(info.filename, info.file_size) for info in listed[1:]] != expected:
            raise unfit(self.path, "its entries are not those of its manifest")
        return entries

    def check(self) -> None:
        """Digest everything; raises WhereinError if anything is cut or altered."""
        for entry in self.entries:
            for part in self.parts(entry.collection):
                self.extract(part, None)

    def parts(self, collection: str) -> list[Part]:
        """The catalog of a collection, then its sentences if there are any."""
        return next(e.parts(n) for n, e in enumerate(self.entries) if e.collection == collection)

    def extract(self, part: Part, target: IO[bytes] | None) -> None:
        """Copy a part, and digest it on the way."""
        with self._archive.open(part.name) as source:
            digest = _copy(source, target)
        if digest != part.sha256:
            raise unfit(self.path, f"{part.name} does not match its digest")


def _entries(path: Path, data: bytes) -> list[Entry]:
    try:
        manifest = json.loads(data)
        if manifest["format"] != FORMAT or not isinstance(manifest["version"], int):
            raise ValueError("format")
        if manifest["version"] > VERSION:
            raise WhereinError(f"{path} was written by a newer version: upgrade wherein.", kind="version")
        entries = [Entry(**values) for values in manifest["collections"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise unfit(path, "its manifest cannot be read") from error
    names = {entry.collection for entry in entries}
    if not entries or not all(_fits(asdict(entry)) for entry in entries) or len(names) < len(entries):
        raise unfit(path, "its manifest is not one of ours")
    return entries


def _fits(values: dict[str, Any]) -> bool:
    return all(type(values[name]) is wanted for name, wanted in _TYPES.items())


@contextmanager
def opened(path: Path) -> Iterator[Backup]:
    """Open a backup; raises WhereinError if it is none, or is cut."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield Backup(path, archive)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise unfit(path, " ".join(str(error).split()).rstrip(".").lower() or "it is cut") from error
    except OSError as error:
        raise WhereinError(f"Cannot read {path}: {error.strerror or error}.", kind="backup") from error
