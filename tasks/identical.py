"""Identical texts are one candidate, whichever of their places a channel found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.records import PassageKey, Ranked
from tasks.fuse import NOMINATED
from tasks.source import Source


def one_candidate(channels: Mapping[str, Sequence[Ranked]], pool: Sequence[Source]) -> dict[str, list[Ranked]]:
    """The lists with every text under the first of its allowed places, by collection, path and position.

    Channels that search everything name that place already; those that nominate see some of the files only.
    """
    nominated = {entry.key for name in NOMINATED for entry in channels.get(name, ())}
    if not nominated:
        return {name: list(entries) for name, entries in channels.items()}
    stands = _standing(nominated, channels, pool)
    return {name: [_moved(entry, stands) for entry in entries] for name, entries in channels.items()}


def _standing(
    nominated: set[PassageKey], channels: Mapping[str, Sequence[Ranked]], pool: Sequence[Source]
) -> dict[PassageKey, PassageKey]:
    """The key that stands for each nominated one, and for those of the same text in another collection."""
    found = {entry.key for entries in channels.values() for entry in entries}
    by_text: dict[str, list[PassageKey]] = {}
    for source in pool:
        for key, at in source.located().items():
            if key in found:
                (first,) = source.passages(source.same_text(at.row)[:1])
                by_text.setdefault(at.passage.text, []).extend([key, (source.name, first.path, first.position)])
    return {key: min(keys) for keys in by_text.values() if nominated.intersection(keys) for key in keys}


def _moved(entry: Ranked, stands: Mapping[PassageKey, PassageKey]) -> Ranked:
    return Ranked(stands.get(entry.key, entry.key), entry.score, entry.rank)
