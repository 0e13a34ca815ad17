"""The file of a backup: a zip of stored entries, a manifest first, then a catalog for each collection.

Nothing in it is compressed, so that it can hold no more than its own size, and no name in it is used as a path.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from store import disk
from store.errors import WhereinError

FORMAT = "wherein backup"
VERSION = 1
_MANIFEST = "manifest.json"
_MANIFEST_BYTES = 1_000_000
_BLOCK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection in a backup; `sha256` and `size_bytes` of its catalog."""

    collection: str
    generation: int
    files: int
    chunks: int
    size_bytes: int
    sha256: str


_TYPES = {"collection": str, "generation": int, "files": int, "chunks": int, "size_bytes": int, "sha256": str}


def unfit(path: Path, detail: str) -> WhereinError:
    return WhereinError(
        f"{path} is not a whole backup of wherein ({detail}): nothing was changed; choose another file.", kind="backup"
    )


def write(path: Path, made_at: str, entries: Sequence[Entry], catalogs: Mapping[str, Path]) -> None:
    """Write a backup and read it back; a file of that name is replaced only by a whole one."""
    manifest = {"format": FORMAT, "version": VERSION, "made_at": made_at, "collections": [asdict(e) for e in entries]}
    with disk.written_whole(path) as (file, temporary):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(_info(_MANIFEST), json.dumps(manifest, indent=1).encode())
            for number, entry in enumerate(entries):
                with (
                    catalogs[entry.collection].open("rb") as source,
                    archive.open(_named(number, entry), "w") as target,
                ):
                    _copy(source, target)
        file.flush()
        with opened(temporary) as backup:
            backup.check()


def _info(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, _EPOCH)


def _named(number: int, entry: Entry) -> zipfile.ZipInfo:
    info = _info(_name(number))
    info.file_size = entry.size_bytes
    return info


def _name(number: int) -> str:
    return f"{number}.sqlite"


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
        expected = [(_name(number), entry.size_bytes) for number, entry in enumerate(entries)]
        if [(info.filename, info.file_size) for info in listed[1:]] != expected:
            raise unfit(self.path, "its entries are not those of its manifest")
        return entries

    def check(self) -> None:
        """Digest everything; raises WhereinError if anything is cut or altered."""
        for entry in self.entries:
            self.extract(entry.collection, None)

    def extract(self, collection: str, target: IO[bytes] | None) -> None:
        """Copy a catalog, and digest it on the way."""
        number, entry = next((n, e) for n, e in enumerate(self.entries) if e.collection == collection)
        with self._archive.open(_name(number)) as source:
            digest = _copy(source, target)
        if digest != entry.sha256:
            raise unfit(self.path, f"the catalog of {collection!r} does not match its digest")


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
