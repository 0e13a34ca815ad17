"""Several ranked lists made one, and the reranker's voice blended in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from store.errors import usage
from store.records import PassageKey, Ranked
from tasks.stage import stage

METHODS = ("minmax", "rrf", "union")
_ORDER = ("vector", "keyword", "date", "name")  # of a union: who comes first at equal rank

NOMINATED = ("date", "name")
"""Channels that bring passages into the pool, and give them no score of their own."""
Channels = Mapping[str, Sequence[Ranked]]


@stage("fuse")
def fuse(channels: Channels, method: str, weights: Mapping[str, float], rrf_k: int) -> list[Ranked]:
    """One list of the distinct passages of all channels, best first, ties by key.

    `channels` holds every list that was run, an empty one too; "date" and "name" are no voices of their own: their
    passages enter with their cosine as vector score, or with their BM25 score where only words were searched.
    Scores: minmax in 0..1; rrf above 0; union in (0, 1], by position.
    """
    if method == "union":
        return _union(channels)
    if method not in METHODS:
        raise usage(f"Setting retrieval.fusion = {method!r} is not one of {', '.join(METHODS)}.")
    voices = _with_nominated(channels)
    by_voice = [
        (weights.get(name, 1.0), _minmax_scores(name, voices, channels) if method == "minmax" else _rrf(entries, rrf_k))
        for name, entries in sorted(voices.items())
    ]
    total = sum(weight for weight, _ in by_voice) if method == "minmax" else 1.0
    keys = dict.fromkeys(key for _, scores in by_voice for key in scores)
    sums = {key: sum(weight * scores.get(key, 0.0) for weight, scores in by_voice) for key in keys}
    return ranked({key: value / total if total else 0.0 for key, value in sums.items()})


def blend(fused: Sequence[Ranked], logits: Mapping[PassageKey, float], weight: float) -> list[Ranked]:
    """The pool by (1 - weight) * minmax(fused) + weight * minmax(logit), ties by key; `weight` in 0..1.

    Without logits the fused order and scores stay. With them every passage of the pool must have one.
    """
    if not logits:
        return list(fused)
    first = minmax({entry.key: entry.score for entry in fused})
    second = minmax({entry.key: logits[entry.key] for entry in fused})
    return ranked({key: (1.0 - weight) * first[key] + weight * second[key] for key in first})


def minmax(scores: Mapping[PassageKey, float]) -> dict[PassageKey, float]:
    """Scores stretched to 0..1; all 1 where they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: _between(value, low, high) for key, value in scores.items()}


def ranked(scores: Mapping[PassageKey, float]) -> list[Ranked]:
    """Highest first, ties by key, ranks from 1."""
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [Ranked(key, scores[key], rank) for rank, key in enumerate(order, 1)]


def _between(value: float, low: float, high: float) -> float:
    """Where a value stands between two others, 0 below and 1 above."""
    if low == high:
        return 1.0 if value >= high else 0.0
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _with_nominated(channels: Channels) -> dict[str, list[Ranked]]:
    """The voices: nominated passages stand in the vector list, at the place of their cosine."""
    voices = {name: list(entries) for name, entries in channels.items() if name not in NOMINATED}
    nominated = [entry for name in NOMINATED for entry in channels.get(name, ())]
    if nominated:
        voice = "vector" if "vector" in voices or "keyword" not in voices else "keyword"
        near = {entry.key: entry.score for entry in (*nominated, *voices.get(voice, ()))}
        voices[voice] = ranked(near)
    return voices


def _minmax_scores(name: str, voices: Mapping[str, Sequence[Ranked]], channels: Channels) -> dict[PassageKey, float]:
    """Min-max scores of a voice; nominated passages do not move the bounds of those that were found."""
    bounds = channels.get(name) or voices[name]
    if not bounds:
        return {}
    low, high = min(entry.score for entry in bounds), max(entry.score for entry in bounds)
    return {entry.key: _between(entry.score, low, high) for entry in voices[name]}


def _rrf(entries: Iterable[Ranked], rrf_k: int) -> dict[PassageKey, float]:
    """1 / (k + rank); Cormack, Clarke and Büttcher 2009."""
    return {entry.key: 1.0 / (rrf_k + entry.rank) for entry in entries}


def _union(channels: Channels) -> list[Ranked]:
    """The lists interleaved by rank."""
    names = [*(name for name in _ORDER if name in channels), *sorted(set(channels) - set(_ORDER))]
    lists = [sorted(channels[name], key=lambda entry: (entry.rank, entry.key)) for name in names]
    keys = dict.fromkeys(entry.key for row in zip_longest(*lists) for entry in row if entry is not None)
    return [Ranked(key, 1.0 - place / len(keys), place + 1) for place, key in enumerate(keys)]
