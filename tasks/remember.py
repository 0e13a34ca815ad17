"""Embed the texts that are not remembered yet, keeping each part as soon as it is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tasks.stage import stage

if TYPE_CHECKING:
    from tasks.embed import Embedder

Keep = Callable[[Mapping[bytes, bytes]], object]


@dataclass(slots=True)
class Embedding:
    """How it went: texts sent and embedded, those refused by key with the reason, and why it stopped early."""

    embedded: int = 0
    refused: dict[bytes, str] = field(default_factory=dict)
    unreachable: str | None = None

    def __len__(self) -> int:
        return self.embedded


@stage("embed")
def embed_missing(
    embedder: Embedder, wanted: Mapping[bytes, str], keep: Keep, advance: Callable[[int, int], None], part_size: int
) -> Embedding:
    """Embed `wanted` (key: text) longest first; `keep` stores vectors (float32 bytes by key) part by part.

    `advance` is told the texts and the characters of each part.
    """
    outcome = Embedding()
    ordered = sorted(wanted, key=lambda key: (-len(wanted[key]), key))
    for part in _parts(ordered, part_size):
        result = embedder.embed_partial([wanted[key] for key in part])
        keep({part[i]: vector.astype("<f4").tobytes() for i, vector in sorted(result.vectors.items())})
        outcome.embedded += len(result.vectors)
        outcome.refused.update({part[i]: reason for i, reason in sorted(result.refused.items())})
        advance(len(part), sum(len(wanted[key]) for key in part))
        if result.unreachable is not None:
            outcome.unreachable = result.unreachable
            break
    return outcome


def _parts(keys: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
