"""What embedding gives: unit rows, texts the model refused, and a model that could not be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Vector = NDArray[float32]

BLANK = "the text is blank"


class Refused(Exception):
    """The model refuses one text."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


class Unreachable(Exception):
    """The model cannot be reached, or will not answer within bounds."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Embedded:
    """Results by index of the text. With `unreachable`, texts in neither mapping were not answered."""

    vectors: dict[int, Vector] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    unreachable: str | None = None

    def put(self, index: int, raw: Any, dimension: int | None = None) -> str | None:
        """Keep a raw vector as a unit row, or return what is wrong with it."""
        row = unit(raw, dimension)
        if isinstance(row, str):
            return row
        self.vectors[index] = row
        return None

    def put_all(self, indexes: Sequence[int], raws: Sequence[Any]) -> None:
        """Keep the vectors of a model that is asked once; a bad one is a refusal."""
        for index, raw in zip(indexes, raws, strict=True):
            problem = self.put(index, raw)
            if problem is not None:
                self.refused[index] = problem


def unit(raw: Any, dimension: int | None = None) -> Vector | str:
    """(d,) float32 of length 1, computed in float64; or what is wrong with the raw vector."""
    import numpy

    try:
        row = numpy.asarray(raw, dtype=numpy.float64)
    except (TypeError, ValueError):
        return "the model's answer holds no vector of numbers"
    if row.ndim != 1 or row.size == 0:
        return "the model's answer holds no vector of numbers"
    if not numpy.isfinite(row).all():
        return "the model's vector holds a value that is no finite number"
    if dimension is not None and row.size != dimension:
        return f"the model's vector has {row.size} dimensions instead of {dimension}"
    with numpy.errstate(over="ignore"):
        length = math.sqrt(float(row @ row))
    if length == 0 or not math.isfinite(length):
        return "the model's vector has no direction"
    return (row / length).astype(numpy.float32)
