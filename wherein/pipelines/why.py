"""Why a file is not among the hits: the step that lost it, and what would bring it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.records import Hit, PassageKey, Ranks, Scores
from tasks.globs import nfc
from tasks.source import Source
from tasks.stage import within
from wherein.pipelines.query import Trail
from wherein.pipelines.work import Work

DEPTH = 1000
_CHANNELS = (("vector", "by meaning"), ("keyword", "by words"))


@dataclass(frozen=True, slots=True)
class Why:
    """`stage` is "shown" or the step that lost the file's best passage; `remedy` is empty where nothing is to be done.

    `places`: the rank of its best passage in each channel that was run, None if not among the first DEPTH.
    """

    path: str
    stage: str
    told: str
    remedy: str
    places: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A passage of the pool that is no hit: `rank` is its place in the final order, `stage` what dropped it."""

    rank: int
    path: str
    line_start: int
    stage: str
    scores: Scores
    ranks: Ranks


def left_out(trail: Trail) -> list[LeftOut]:
    """What floor, cap and cut left out, in the final order of the pool."""
    fates = trail.selection.fates
    return [
        LeftOut(hit.rank, nfc(hit.path), hit.line_start, fates[hit.key], hit.scores, hit.ranks)
        for hit in trail.hits
        if hit.key in fates
    ]


def why(trail: Trail, work: Work, path: str) -> Why:
    """What became of a file's passages in one retrieval; `path` is relative to the root of its collection."""
    wanted = nfc(path).removeprefix("./")
    reason = _not_there(work, wanted)
    if reason is not None:
        return Why(path, "not indexed", reason, "see `wherein files`, and run `wherein ingest`", {})
    shown = [hit for hit in trail.evidence.hits if _is(hit, wanted)]
    if shown:
        return Why(path, "shown", f"it is hit {shown[0].rank}", "", {})
    candidates = [hit for hit in trail.hits if _is(hit, wanted)]
    if candidates:
        return _dropped(trail, path, candidates[0])
    pool = work.pool(trail.asked)
    if not any(_allowed(source, wanted) for source in pool):
        return Why(path, "filtered", "a filter leaves it out", "ask without --path, dates or quoted phrases", {})
    return _in_no_pool(trail, path, _places(trail, work, pool, wanted))


def _is(hit: Hit, path: str) -> bool:
    return nfc(hit.path) == path or any(nfc(place.path) == path for place in hit.also_in)


def _not_there(work: Work, path: str) -> str | None:
    """Why no passage of the file is in the index, if so."""
    rows = [row for _, snapshot in work.found for row in snapshot.files() if nfc(row["path"]) == path]
    if not rows:
        return "no collection that was searched has this file"
    if not any(row["chunks"] for row in rows):
        return f"it is {rows[0]['state']}: {rows[0]['reason'] or 'it holds no text'}"
    return None


def _allowed(source: Source, path: str) -> bool:
    """Whether the filters let any passage of the file through."""
    ids = [id_ for id_, each, _, _ in source.snapshot.places() if nfc(each) == path]
    mine = source.in_files(ids)
    return bool((mine if source.allowed is None else mine & source.allowed).any())


def _dropped(trail: Trail, path: str, hit: Hit) -> Why:
    """Its best passage was in the pool."""
    ranks, k = hit.ranks, trail.asked.k
    places = {"vector": ranks.vector, "keyword": ranks.keyword, "fused": ranks.fused, "rerank": ranks.rerank}
    stage = trail.selection.fates.get(hit.key, "threshold")
    moved = stage == "cut" and ranks.fused is not None and ranks.fused <= k
    told = {
        "floor": "its score is below retrieval.floor",
        "cap": "other passages of the file took the places that retrieval.per_source allows",
        "cut": f"it came at place {hit.rank} of {len(trail.hits)}, and {k} are shown",
        "threshold": "the evidence as a whole was too weak, so nothing is shown as a hit",
    }[stage]
    remedy = {
        "floor": "lower retrieval.floor",
        "cap": "raise retrieval.per_source",
        "cut": f"the reranker moved it down from place {ranks.fused}: lower rerank.weight" if moved else "raise -k",
        "threshold": "ask with its own words, or fit the thresholds again (`wherein evaluate --apply`)",
    }[stage]
    return Why(path, "rerank" if moved else stage, told, remedy, places)


def _in_no_pool(trail: Trail, path: str, places: dict[str, int | None]) -> Why:
    told = [f"place {place} {_word(name)}" for name, place in places.items() if place is not None]
    missing = [_word(name) for name, place in places.items() if place is None]
    parts = told + ([f"not among the first {DEPTH:,} {' or '.join(missing)}"] if missing else [])
    found = {name: place for name, place in places.items() if place is not None}
    if not found:
        return Why(path, "pool", f"in no pool: {', '.join(parts)}", "ask with other words: those of the file", places)
    name = min(found, key=lambda name: (found[name], name))
    remedy = f"raise retrieval.pool_{name} to {found[name]} or more; reranking will not help"
    return Why(path, "pool", f"in no pool: {', '.join(parts)}", remedy, places)


def _word(channel: str) -> str:
    return dict(_CHANNELS)[channel]


def _places(trail: Trail, work: Work, pool: Sequence[Source], path: str) -> dict[str, int | None]:
    """The rank of the file's best passage in each channel that was run, looked for further down."""
    asked, found = trail.asked, dict[str, int | None]()
    with within():
        if "vector" in trail.channels:
            entries = work.vector(asked, pool, work.query_vectors(asked, pool), DEPTH)
            found["vector"] = _first([(entry.rank, entry.key) for entry in entries], path)
        if "keyword" in trail.channels:
            entries = work.keyword(asked, pool, DEPTH)
            found["keyword"] = _first([(entry.rank, entry.key) for entry in entries], path)
    return found


def _first(entries: Sequence[tuple[int, PassageKey]], path: str) -> int | None:
    return next((rank for rank, key in entries if nfc(key[1]) == path), None)
