"""A file of named arrays: written once, opened by memory map, checked by header, footer and digest.

Layout: magic (8 bytes), length of the directory (8, little endian), directory (JSON: meta, and for each
array dtype, shape, offset), arrays aligned to 64 bytes, footer (8 bytes).
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import disk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"WHEREIN2"
FOOTER = b"2NIEREHW"
_ALIGN = 64


class Damaged(Exception):
    """A derived file that is missing, cut or altered."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """An array that is written as it comes: `blocks` of its first axis, in order, never all in memory."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    blocks: Iterable[NDArray[Any]]

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


Arrays = Mapping[str, "NDArray[Any] | Streamed"]


def write(path: Path, meta: Mapping[str, Any], arrays: Arrays) -> disk.Written:
    return disk.write_file(path, _parts(meta, arrays))


def _parts(meta: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes | memoryview]:
    directory: dict[str, Any] = {}
    position = 0
    for name, array in arrays.items():
        directory[name] = {"dtype": array.dtype.str, "shape": array.shape, "offset": position}
        position += _padded(array.nbytes)
    head = json.dumps({"meta": meta, "arrays": directory, "bytes": position}, sort_keys=True).encode()
    head += b" " * (_padded(16 + len(head)) - 16 - len(head))
    yield MAGIC + len(head).to_bytes(8, "little") + head
    for array in arrays.values():
        for block in array.blocks if isinstance(array, Streamed) else [array]:
            if block.nbytes:
                yield _plain(block)
        yield b"\0" * (_padded(array.nbytes) - array.nbytes)
    yield FOOTER


def _plain(array: NDArray[Any]) -> memoryview:
    import numpy as np

    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _padded(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


@dataclass
class Named:
    """Arrays by name, and a little beside them."""

    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


class Container(Named):
    """An open container; `arrays[name]` views the memory map."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise Damaged(f"{path.name} is missing or empty") from error
        try:
            super().__init__(*self._read())
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{path.name} is cut or altered") from error

    def _read(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        size = int.from_bytes(self._map[8:16], "little")
        if self._map[:8] != MAGIC or self._map[-8:] != FOOTER or 16 + size > len(self._map):
            raise ValueError("header or footer")
        head = json.loads(self._map[16 : 16 + size])
        if 16 + size + head["bytes"] + len(FOOTER) != len(self._map):
            raise ValueError("length")
        return head["meta"], {n: self._view(a, 16 + size) for n, a in head["arrays"].items()}

    def _view(self, entry: dict[str, Any], base: int) -> NDArray[Any]:
        import numpy as np

        shape = tuple(entry["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        flat: NDArray[Any] = np.frombuffer(
            self._map, dtype=np.dtype(entry["dtype"]), count=count, offset=base + entry["offset"]
        )
        return flat.reshape(shape)
