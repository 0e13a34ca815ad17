"""Sets of ids as numpy arrays: ids are small integers, so a mark for each possible one is cheaper than hashing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def distinct(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Each id once, ascending; none may be negative."""
    import numpy as np

    return np.flatnonzero(marks(ids, _above(ids)))


def marks(ids: NDArray[Any], size: int) -> NDArray[np.bool_]:
    """(size,): whether a number is among the ids; ids of `size` and above are left out."""
    import numpy as np

    found = np.zeros(size, dtype=np.bool_)
    found[ids if _above(ids) <= size else ids[ids < size]] = True
    return found


def member(ids: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the ids are wanted ones."""
    marked: NDArray[np.bool_] = marks(wanted, _above(ids))[ids]
    return marked


def _above(ids: NDArray[Any]) -> int:
    """The least number above all ids."""
    return int(ids.max()) + 1 if len(ids) else 0
