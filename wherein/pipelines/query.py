"""Search: retrieve (vector, keyword, date), fuse, rerank, floor, cap, cut, confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from store.records import Evidence, Hit, PassageKey, Ranked, Signal
from tasks.file_names import called
from tasks.fuse import blend, fuse
from tasks.identical import one_candidate
from tasks.models import LOGIT, rerank_scale
from tasks.select import Selection, confidence, select
from tasks.source import Located, Source
from tasks.stage import tracing
from wherein.pipelines import calibration, expansion, leading, loaded, models, options, pins, sources, unread, wording
from wherein.pipelines.asked import Asked, like, settle
from wherein.pipelines.assembly import Assembly
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.synthesis import Model
from wherein.pipelines.work import Work
from wherein.workspace import Workspace

__all__ = ["QueryOptions", "search"]


@dataclass(frozen=True)
class Trail:
    """What every step of a retrieval made: `hits` is the whole pool in its final order."""

    asked: Asked
    channels: Mapping[str, Sequence[Ranked]]
    hits: Sequence[Hit]
    selection: Selection
    evidence: Evidence


def search(
    workspace: Workspace,
    query: str,
    chosen: QueryOptions | None = None,
    seen: Callable[[Trail], None] = lambda _: None,
) -> Evidence:
    """The passages that answer a query, with what every stage said of them; `seen` is shown every step.

    Raises WhereinError: exit 1 without an index, exit 2 for what cannot be asked or loaded.
    """
    with tracing() as trace, retrieval(workspace, query, chosen or QueryOptions()) as (trail, _):
        seen(trail)
        return replace(trail.evidence, stages=trace.times())


def retrieve(workspace: Workspace, query: str, chosen: QueryOptions) -> Evidence:
    """Search within the caller's trace."""
    with retrieval(workspace, query, chosen) as (trail, _):
        return trail.evidence


@contextmanager
def retrieval(workspace: Workspace, query: str, chosen: QueryOptions) -> Iterator[tuple[Trail, Work]]:
    """The trail of a search, with the generations still open that it went through."""
    asked = like(workspace, chosen) if chosen.like is not None else settle(workspace, query, chosen)
    writer = expansion.check(workspace, chosen)
    if asked.reranked:
        loaded.reranker(models.rerank(workspace))
    with sources.opened(workspace, chosen.collections, asked.notes) as found:
        work = Work(workspace, found)
        if not any(len(snapshot) for _, snapshot in found):
            asked.notes.append(
                "no text is indexed: see `wherein files`, add .txt or .md files and run `wherein ingest`"
            )
        trail = follow(asked, work, writer)
        evidence = replace(
            trail.evidence,
            generations={name: snapshot.number for name, snapshot in found},
            index_age_seconds=sources.age_seconds(found),
        )
        yield replace(trail, evidence=evidence), work


def follow(asked: Asked, work: Work, writer: Model | None = None) -> Trail:
    """Every step over the opened generations, with what it made; `writer` is the model that finds other wordings."""
    pool = work.pool(asked)
    if writer is not None:
        asked.expanded(work.expansion(asked, writer))
    if not options.holds_word(asked.query):
        asked.notes.append("the query holds no word")
        pool = []
    if asked.settings.retrieval.pool_name and not asked.as_passage:
        asked.call(called(asked.query, pool))
    channels = _channels(asked, pool, work)
    if asked.mode == "keyword" and asked.options.mode is None and not channels["keyword"]:
        asked.search_by_meaning_too()
        channels = _channels(asked, pool, work)
    channels = one_candidate(channels, pool)
    fused = _fused(asked, channels, pool)
    passages = _located(pool, fused)
    logits = _rerank(asked, fused, passages, work)
    weight = 1.0 if asked.settings.retrieval.fusion == "union" else asked.settings.rerank.weight
    final, lead = leading.first(asked, blend(fused, logits, weight), passages, channels)
    pinned = pins.pinned(asked.query, pool, fused, passages) if asked.settings.retrieval.pin_rare else frozenset()
    hits = Assembly(channels, fused, logits, passages, pinned, work.workspace).hits(final)
    scale = rerank_scale(models.rerank(work.workspace))
    selection = select(
        hits, asked.settings.retrieval.floor, asked.per_source, asked.k, logits=scale == LOGIT, lead=lead
    )
    return Trail(asked, channels, hits, selection, _concluded(work.workspace, asked, pool, hits, selection))


def _channels(asked: Asked, pool: Sequence[Source], work: Work) -> dict[str, list[Ranked]]:
    retrieval = asked.settings.retrieval
    channels: dict[str, list[Ranked]] = {}
    queries = work.query_vectors(asked, pool) if asked.mode in ("hybrid", "vector") else None
    if queries is not None:
        channels["vector"] = work.vector(asked, pool, queries, max(retrieval.pool_vector, asked.k))
    if asked.mode in ("hybrid", "keyword"):
        channels["keyword"] = work.keyword(asked, pool, max(retrieval.pool_keyword, asked.k))
        asked.notes += wording.missing(wording.unmatched(asked.query, pool, retrieval.strip_request_words))
    if asked.called:
        channels["name"] = work.named(asked, pool, queries, retrieval.pool_name)
    if asked.dates.ranges and queries is not None:
        channels["date"] = work.date(asked, pool, queries, retrieval.pool_date)
    elif asked.dates.ranges:
        asked.notes.append("the date in the question was not used: keyword search alone does not read dates")
    return channels | _worded(asked, pool, work)


def _worded(asked: Asked, pool: Sequence[Source], work: Work) -> dict[str, list[Ranked]]:
    """The lists of the other wordings, each a voice of its own."""
    retrieval = asked.settings.retrieval
    found: dict[str, list[Ranked]] = {}
    for number, other in enumerate(asked.wordings, 1):
        worded = asked.worded(other)
        if asked.mode in ("hybrid", "vector"):
            queries = work.query_vectors(worded, pool)
            found[f"vector {number}"] = work.vector(worded, pool, queries, max(retrieval.pool_vector, asked.k))
        if asked.mode in ("hybrid", "keyword") and not other.passage:
            found[f"keyword {number}"] = work.keyword(worded, pool, max(retrieval.pool_keyword, asked.k))
    return found


def _fused(asked: Asked, channels: Mapping[str, Sequence[Ranked]], pool: Sequence[Source]) -> list[Ranked]:
    retrieval = asked.settings.retrieval
    weighed = {"vector", "keyword"} <= channels.keys() and retrieval.fusion != "union"
    vector = retrieval.weight_vector * (unread.vector_share(asked, pool) if weighed else 1.0)
    weights = {"vector": vector, "keyword": retrieval.weight_keyword}
    share = max(1, len(asked.wordings))  # all wordings together have the say of the query itself
    weights |= {name: weights[name.partition(" ")[0]] / share for name in channels if " " in name}
    return fuse(channels, retrieval.fusion, weights, retrieval.rrf_k)


def _located(pool: Sequence[Source], fused: Sequence[Ranked]) -> dict[PassageKey, Located]:
    """Where each fused passage was read."""
    wanted = {entry.key for entry in fused}
    return {key: at for source in pool for key, at in source.located().items() if key in wanted}


def _rerank(
    asked: Asked, fused: Sequence[Ranked], passages: Mapping[PassageKey, Located], work: Work
) -> dict[PassageKey, float]:
    """Raw logits of the whole pool; none if the reranker is off or fails."""
    if not asked.reranked or not fused:
        return {}
    from tasks.scoring import RerankFailed

    try:
        logits = work.logits(asked, [passages[entry.key].passage.text for entry in fused])
    except RerankFailed as failure:
        asked.rerank_failed = True
        asked.notes.append(f"reranking failed ({failure}): the fused order is shown")
        return {}
    return {entry.key: logit for entry, logit in zip(fused, logits, strict=True)}


def _concluded(
    workspace: Workspace, asked: Asked, pool: Sequence[Source], hits: Sequence[Hit], chosen: Selection
) -> Evidence:
    """What is shown, and how sure it is."""
    reranked = any(hit.scores.rerank is not None for hit in hits)
    signal, note = _signal(workspace, pool, hits, reranked)
    level = confidence(signal.name, signal.value, bool(chosen.hits), signal.weak, signal.none)
    none = level == "none"
    return Evidence(
        query=asked.query,
        mode=asked.mode,
        generations={},
        confidence=level,
        signal=signal,
        hits=() if none else tuple(chosen.hits),
        dropped=chosen.dropped,
        nearest=tuple(chosen.hits) if none else (),
        notes=(*asked.notes, *chosen.notes, *([note] if note else [])),
        stages=(),
        index_age_seconds=None,
        reranked=reranked,
        rerank_scale=rerank_scale(models.rerank(workspace)) if reranked else None,
        rerank_failed=asked.rerank_failed,
        expansion_failed=asked.expansion_failed,
        wordings=asked.wordings,
    )


def _signal(workspace: Workspace, pool: Sequence[Source], hits: Sequence[Hit], reranked: bool) -> tuple[Signal, str]:
    """The best rerank logit of the pool, else the best cosine, with the thresholds of its model, and a note."""
    name = "rerank" if reranked else "vector"
    values = [value for hit in hits if (value := getattr(hit.scores, name)) is not None]
    if not values:
        return Signal(None, None, None, None), ""
    digest = (
        calibration.rerank_digest(models.rerank(workspace))
        if reranked
        else str(pool[0].snapshot.settings["embedding"]["fingerprint"])
    )
    known = calibration.levels(workspace, name, digest, [source.name for source in pool])
    return Signal(name, max(values), known.weak, known.none), known.note
