"""What a question names outright comes first: the file that it calls, and before that the day that it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from store.records import PassageKey, Ranked
from store.snapshot import Passage
from tasks.source import Located
from wherein.pipelines.asked import Asked

Passages = Mapping[PassageKey, Located]


def first(asked: Asked, final: Sequence[Ranked], passages: Passages) -> list[Ranked]:
    """The final order with the best passage of the one called file first, then that of the one stated day."""
    ordered = list(final)
    files = {(name, path) for name, paths in asked.called.items() for path in paths.values()}
    if len(files) == 1:
        ((collection, path),) = files
        ordered = _led(ordered, passages, lambda name, passage: (name, passage.path) == (collection, path))
    if asked.dates.day is not None and asked.mode != "keyword":
        day = asked.dates.day.isoformat()
        ordered = _led(ordered, passages, lambda _, passage: passage.date == day)
    return ordered


def _led(final: list[Ranked], passages: Passages, wanted: Callable[[str, Passage], bool]) -> list[Ranked]:
    """The best passage that is wanted at any of the places of its text comes first."""

    def stands(entry: Ranked) -> bool:
        at = passages[entry.key]
        return any(wanted(at.source.name, passage) for passage in at.source.passages(at.source.same_text(at.row)))

    best = next((entry for entry in final if stands(entry)), None)
    return final if best is None else [best, *(entry for entry in final if entry is not best)]
