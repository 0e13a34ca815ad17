"""A long array with some values taken out and others put in, made block by block and never whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.container import Streamed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Patch:
    """Both ascending: the places of the values that go, and before which old value each new one comes."""

    gone: NDArray[np.int64]
    places: NDArray[np.int64]

    def applied(self, old: NDArray[Any], new: NDArray[Any], renumbered: NDArray[Any] | None = None) -> Streamed:
        """The old values, each put through the table `renumbered` if there is one, with the new among them."""
        size = len(old) - len(self.gone) + len(new)
        return Streamed(old.dtype, (size,), _Blocks(self, old, new, renumbered))


@dataclass(frozen=True, slots=True)
class _Blocks:
    patch: Patch
    old: NDArray[Any]
    new: NDArray[Any]
    renumbered: NDArray[Any] | None

    def __iter__(self) -> Iterator[NDArray[Any]]:
        import numpy as np

        gone, places = self.patch.gone, self.patch.places
        last = len(self.old)
        for start in range(0, max(last, 1), BLOCK):
            end = min(start + BLOCK, last)
            values = self.old[start:end]
            values = values if self.renumbered is None else self.renumbered[values]
            out = slice(*np.searchsorted(gone, (start, end)))
            into = slice(*np.searchsorted(places, (start, end if end < last else last + 1)))
            shifted = places[into] - start - (np.searchsorted(gone, places[into]) - out.start)
            yield np.insert(np.delete(values, gone[out] - start), shifted, self.new[into])
