"""The sorted terms of a keyword index, packed: one blob of UTF-8, and where in it each term begins.

UTF-8 sorts as code points do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Packed = tuple["NDArray[np.uint8]", "NDArray[np.int64]"]


def pack(terms: Sequence[bytes]) -> Packed:
    """Blob and offsets (n + 1,) of some terms."""
    import numpy as np

    offsets = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in terms], out=offsets[1:])
    return np.frombuffer(b"".join(terms), dtype=np.uint8), offsets


class Terms:
    """Packed terms as a sequence; each is read when it is asked for."""

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.blob = blob
        self.offsets = offsets
        self._bytes = blob.data

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> bytes:
        return bytes(self._bytes[self.offsets[place] : self.offsets[place + 1]])

    def place(self, term: bytes) -> int:
        """Where a term stands, or would."""
        sequence: Any = self
        return bisect_left(sequence, term)

    def find(self, term: bytes) -> int | None:
        """Where a term stands; None if it is not there."""
        place = self.place(term)
        return place if place < len(self) and self[place] == term else None

    def inserted(self, places: NDArray[np.int64], terms: Sequence[bytes]) -> Terms:
        """With new terms, in ascending order, each put before the one at its place."""
        import numpy as np

        blob, offsets = pack(terms)
        lengths = np.diff(offsets)
        joined = np.insert(self.blob, np.repeat(self.offsets[places], lengths), blob)
        return Terms(joined, _offsets(np.insert(np.diff(self.offsets), places, lengths)))

    def chosen(self, wanted: NDArray[np.bool_]) -> Terms:
        """Only those wanted."""
        import numpy as np

        lengths = np.diff(self.offsets)
        return Terms(self.blob[np.repeat(wanted, lengths)], _offsets(lengths[wanted]))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))
