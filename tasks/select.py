"""From the whole ranked pool to the passages that are shown: floor, cap per source, cut; and how sure they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from store.records import Dropped, Hit, PassageKey
from tasks.stage import stage

MOST_PINNED = 2


@dataclass(frozen=True, slots=True)
class Selection:
    """The hits with their final ranks, what each step dropped, and what a reader should know.

    `fates`: "floor", "cap" or "cut" for each passage of the pool that is no hit, by the step that dropped it.
    """

    hits: list[Hit]
    dropped: Dropped
    notes: list[str]
    fates: dict[PassageKey, str]


@stage("select", items=lambda selection: len(selection.hits))
def select(
    hits: Sequence[Hit],
    floor: float,
    per_source: int,
    k: int,
    *,
    logits: bool = True,
    lead: PassageKey | None = None,
) -> Selection:
    """Apply floor, cap and cut in this order to the pool in its final order; keys must be distinct.

    `floor` is the least sigmoid(rerank logit), or the least rerank score where these are no `logits`, or the least
    cosine where there is neither: 0 keeps all, 1 only pinned hits. `per_source` hits of one (collection, path), 0 for
    no cap. The two best pinned hits pass floor and cap; cut, they take the last of the k places,
    but never that of `lead`.
    """
    pool = _with_two_pinned(hits)
    high = [hit for hit in pool if hit.pinned or _reaches(hit, floor, logits=logits)]
    within, capped = _cap(high, per_source)
    kept = _cut(within, k, lead)
    extra = capped[: max(0, k - len(kept))]
    notes = [_appended_note(len(extra), per_source)] if extra else []
    dropped = Dropped(len(pool) - len(high), len(capped) - len(extra), len(within) - len(kept))
    chosen = [replace(hit, rank=rank) for rank, hit in enumerate((*kept, *extra), 1)]
    steps = (("floor", pool, high), ("cap", high, (*within, *extra)), ("cut", within, kept))
    return Selection(chosen, dropped, notes, {key: step for step, *lists in steps for key in _left_out(*lists)})


def confidence(signal: str | None, value: float | None, has_hits: bool, weak: float | None, none: float | None) -> str:
    """ "strong", "weak" or "none": no hit, or a signal below a threshold; strong where there is no signal."""
    if not has_hits:
        return "none"
    if signal is None or value is None:
        return "strong"
    if none is not None and value < none:
        return "none"
    return "weak" if weak is not None and value < weak else "strong"


def _left_out(before: Sequence[Hit], after: Sequence[Hit]) -> list[PassageKey]:
    stayed = {hit.key for hit in after}
    return [hit.key for hit in before if hit.key not in stayed]


def _with_two_pinned(hits: Sequence[Hit]) -> list[Hit]:
    """The pool, in which only the best two of the pinned hits stay pinned."""
    pins = {hit.key for hit in [hit for hit in hits if hit.pinned][:MOST_PINNED]}
    return [hit if hit.pinned == (hit.key in pins) else replace(hit, pinned=False) for hit in hits]


def _reaches(hit: Hit, floor: float, *, logits: bool) -> bool:
    if floor <= 0.0:
        return True
    if floor >= 1.0:
        return False
    if hit.scores.rerank is not None:
        return (_sigmoid(hit.scores.rerank) if logits else hit.scores.rerank) >= floor
    return hit.scores.vector is None or hit.scores.vector >= floor


def _sigmoid(logit: float) -> float:
    """In 0..1, without overflow for a logit far below 0."""
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-logit))
    return math.exp(logit) / (1.0 + math.exp(logit))


def _cap(hits: Sequence[Hit], per_source: int) -> tuple[list[Hit], list[Hit]]:
    """Hits within the cap, and those beyond it. A pinned hit counts for its source but always passes."""
    within: list[Hit] = []
    beyond: list[Hit] = []
    taken: Counter[tuple[str, str]] = Counter()
    for hit in hits:
        source = (hit.collection, hit.path)
        passes = hit.pinned or not per_source or taken[source] < per_source
        taken[source] += passes
        (within if passes else beyond).append(hit)
    return within, beyond


def _cut(hits: Sequence[Hit], k: int, lead: PassageKey | None) -> list[Hit]:
    """The first k; pinned hits from further down take the places of the last that are neither pinned nor `lead`."""
    kept = list(hits[:k])
    missing = [hit for hit in hits[k:] if hit.pinned]
    places: list[PassageKey] = [hit.key for hit in reversed(kept) if not hit.pinned and hit.key != lead][: len(missing)]
    return [hit for hit in kept if hit.key not in places] + missing[: len(places)]


def _appended_note(count: int, per_source: int) -> str:
    passages = "1 more passage" if count == 1 else f"{count} more passages"
    return f"places were free: {passages} of files that had {per_source} already"
