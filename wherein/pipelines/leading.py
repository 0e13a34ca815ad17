"""What a question names outright comes first: the file that it calls, and before that the day that it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from store.records import PassageKey, Ranked
from store.snapshot import Passage
from tasks.source import Located
from wherein.pipelines.asked import Asked

Passages = Mapping[PassageKey, Located]


Wanted = Callable[[str, Passage], bool]


def first(
    asked: Asked, final: Sequence[Ranked], passages: Passages, channels: Mapping[str, Sequence[Ranked]]
) -> tuple[list[Ranked], PassageKey | None]:
    """The final order with the best passage of the one called file first, then that of the one stated day.

    The key is that of what was put first, if anything was. What a channel nominated counts wherever it
    stands: another collection may hold the same text.
    """
    ordered, led = list(final), False
    files = {(name, path) for name, paths in asked.called.items() for path in paths.values()}
    if len(files) == 1:
        ((collection, path),) = files
        ordered, led = _led(ordered, passages, channels.get("name", ()), lambda n, p: (n, p.path) == (collection, path))
    if asked.dates.day is not None and asked.mode != "keyword":
        day = asked.dates.day.isoformat()
        ordered, dated = _led(ordered, passages, channels.get("date", ()), lambda _, p: p.date == day)
        led = led or dated
    return ordered, ordered[0].key if led else None


def _led(
    final: list[Ranked], passages: Passages, nominated: Sequence[Ranked], wanted: Wanted
) -> tuple[list[Ranked], bool]:
    """The best passage that was nominated, or is wanted at any of the places of its text, first, if there is one."""
    keys = {entry.key for entry in nominated}

    def stands(entry: Ranked) -> bool:
        at = passages[entry.key]
        return any(wanted(at.source.name, passage) for passage in at.source.passages(at.source.same_text(at.row)))

    best = next((entry for entry in final if entry.key in keys or stands(entry)), None)
    return (final, False) if best is None else ([best, *(entry for entry in final if entry is not best)], True)
