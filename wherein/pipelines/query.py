"""Search: retrieve (vector, keyword, date), fuse, rerank, floor, cap, cut, confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from store.errors import WhereinError
from store.records import Evidence, Hit, PassageKey, Ranked, Signal
from tasks.dates import QuestionDates, question_dates
from tasks.embedded import Refused, Unreachable
from tasks.filters import Filters
from tasks.fuse import blend, fuse
from tasks.keyword import keyword
from tasks.models import EmbeddingConfig
from tasks.nominate import nominate
from tasks.route import route
from tasks.select import confidence, select
from tasks.source import Located, Source
from tasks.stage import tracing
from tasks.vector import vector
from wherein.pipelines import calibration, loaded, models, options, pins, sources, wording
from wherein.pipelines.assembly import Assembly
from wherein.pipelines.options import QueryOptions
from wherein.schema import Settings
from wherein.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["QueryOptions", "search"]


@dataclass
class Asked:
    """A query with everything that is settled before retrieval; `notes` grow on the way."""

    query: str
    options: QueryOptions
    filters: Filters
    dates: QuestionDates
    mode: str
    reranked: bool
    settings: Settings
    notes: list[str] = field(default_factory=list)
    rerank_failed: bool = False

    @property
    def k(self) -> int:
        return self.options.k or self.settings.retrieval.k

    @property
    def per_source(self) -> int:
        chosen = self.options.per_source
        return self.settings.retrieval.per_source if chosen is None else chosen


def search(workspace: Workspace, query: str, chosen: QueryOptions | None = None) -> Evidence:
    """The passages that answer a query, with what every stage said of them.

    Raises WhereinError: exit 1 without an index, exit 2 for what cannot be asked or loaded.
    """
    with tracing() as trace:
        evidence = retrieve(workspace, query, chosen or QueryOptions())
    return replace(evidence, stages=trace.times())


def retrieve(workspace: Workspace, query: str, chosen: QueryOptions) -> Evidence:
    """Search within the caller's trace."""
    asked = _settle(workspace, query, chosen)
    if asked.reranked:
        loaded.reranker(models.rerank(workspace))
    with sources.opened(workspace, chosen.collections, asked.notes) as found:
        pool = [s for s in sources.sources(workspace, found, asked.filters) if len(s.snapshot)]
        if not options.holds_word(asked.query):
            asked.notes.append("the query holds no word")
            pool = []
        evidence = _search(workspace, asked, pool)
        return replace(
            evidence,
            generations={name: snapshot.number for name, snapshot in found},
            index_age_seconds=sources.age_seconds(found),
        )


def _settle(workspace: Workspace, query: str, chosen: QueryOptions) -> Asked:
    query = options.check(query, chosen)
    wanted = chosen.mode or "auto"
    routed = route(query) if wanted == "auto" else ""
    mode = {"keyword": "keyword", "prose": workspace.settings.retrieval.prose}.get(routed, wanted)
    reranked = chosen.rerank if chosen.rerank is not None else routed != "keyword"
    dates = question_dates(query, options.today(workspace))
    asked = Asked(
        query,
        chosen,
        options.filters(query, chosen),
        dates,
        mode,
        reranked and workspace.settings.rerank.enabled,
        workspace.settings,
        list(dates.notes),
    )
    if routed == "keyword" and chosen.rerank is None:
        asked.reranked = False
    return asked


def _search(workspace: Workspace, asked: Asked, pool: Sequence[Source]) -> Evidence:
    channels = _channels(workspace, asked, pool)
    if not any(channels.values()) and asked.mode == "keyword" and asked.options.mode is None:
        asked.notes.append("no keyword hit: searched by meaning as well")
        asked.mode, asked.reranked = "hybrid", asked.options.rerank is not False and asked.settings.rerank.enabled
        channels = _channels(workspace, asked, pool)
    retrieval = asked.settings.retrieval
    weights = {"vector": retrieval.weight_vector, "keyword": retrieval.weight_keyword}
    fused = fuse(channels, retrieval.fusion, weights, retrieval.rrf_k)
    passages = _located(pool, fused)
    logits = _rerank(workspace, asked, fused, passages)
    final = blend(fused, logits, 1.0 if retrieval.fusion == "union" else asked.settings.rerank.weight)
    final = _day_first(asked, final, passages)
    pinned = pins.pinned(asked.query, pool, fused, passages) if retrieval.pin_rare else frozenset()
    hits = Assembly(channels, fused, logits, passages, pinned, workspace).hits(final)
    return _conclude(workspace, asked, pool, hits)


def _channels(workspace: Workspace, asked: Asked, pool: Sequence[Source]) -> dict[str, list[Ranked]]:
    retrieval = asked.settings.retrieval
    channels: dict[str, list[Ranked]] = {}
    if asked.mode in ("hybrid", "vector"):
        queries = _query_vectors(workspace, asked, pool)
        channels["vector"] = vector(pool, queries, max(retrieval.pool_vector, asked.k))
    if asked.mode in ("hybrid", "keyword"):
        channels["keyword"] = _keyword(asked, pool)
    if asked.dates.ranges and "vector" in channels:
        channels["date"] = nominate(pool, queries, asked.dates.ranges, retrieval.pool_date)
    elif asked.dates.ranges:
        asked.notes.append("the date in the question was not used: keyword search alone does not read dates")
    return channels


def _query_vectors(workspace: Workspace, asked: Asked, pool: Sequence[Source]) -> dict[str, NDArray[np.float32]]:
    vectors: dict[str, NDArray[np.float32]] = {}
    by_model: dict[Any, NDArray[np.float32]] = {}
    for source in pool:
        config = sources.embedding_of(workspace, source.snapshot.settings)
        if config not in by_model:
            by_model[config] = _query_vector(config, asked)
        vectors[source.name] = by_model[config]
    return vectors


def _query_vector(config: EmbeddingConfig, asked: Asked) -> NDArray[np.float32]:
    embedder = loaded.embedder(config)
    if not embedder.query_fits(asked.query):
        asked.notes.append(f"the question is longer than the window of {config.model!r}: its end was not read")
    try:
        return embedder.embed_query(asked.query)
    except (Refused, Unreachable) as error:
        raise WhereinError(
            f"The embedding model {config.model!r} did not embed the question ({error}):"
            " try again, or search by words alone with --mode keyword.",
            kind="embedding",
        ) from error


def _keyword(asked: Asked, pool: Sequence[Source]) -> list[Ranked]:
    retrieval = asked.settings.retrieval
    strip = retrieval.strip_request_words
    found = keyword(
        pool, lambda source: wording.terms(asked.query, source, strip), max(retrieval.pool_keyword, asked.k)
    )
    asked.notes += wording.missing(wording.unmatched(asked.query, pool, strip))
    return found


def _located(pool: Sequence[Source], fused: Sequence[Ranked]) -> dict[PassageKey, Located]:
    """Where each fused passage was read."""
    wanted = {entry.key for entry in fused}
    return {key: at for source in pool for key, at in source.located().items() if key in wanted}


def _rerank(
    workspace: Workspace, asked: Asked, fused: Sequence[Ranked], passages: Mapping[PassageKey, Located]
) -> dict[PassageKey, float]:
    """Raw logits of the whole pool; none if the reranker is off or fails."""
    if not asked.reranked or not fused:
        return {}
    from tasks.rerank import RerankFailed, rerank

    texts = [passages[entry.key].passage.text for entry in fused]
    try:
        logits = rerank(loaded.reranker(models.rerank(workspace)), asked.query, texts)
    except RerankFailed as failure:
        asked.rerank_failed = True
        asked.notes.append(f"reranking failed ({failure}): the fused order is shown")
        return {}
    return {entry.key: logit for entry, logit in zip(fused, logits, strict=True)}


def _day_first(asked: Asked, final: list[Ranked], passages: Mapping[PassageKey, Located]) -> list[Ranked]:
    """The best passage of the one calendar day a question states comes first."""
    if asked.dates.day is None:
        return final
    day = asked.dates.day.isoformat()
    best = next((entry for entry in final if passages[entry.key].passage.date == day), None)
    if best is None or asked.mode == "keyword":
        return final
    return [best, *(entry for entry in final if entry is not best)]


def _conclude(workspace: Workspace, asked: Asked, pool: Sequence[Source], hits: list[Hit]) -> Evidence:
    """Floor, cap, cut; then how sure the evidence is."""
    reranked = any(hit.scores.rerank is not None for hit in hits)
    chosen = select(hits, asked.settings.retrieval.floor, asked.per_source, asked.k)
    signal = _signal(workspace, asked, pool, hits, reranked)
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
        notes=(*asked.notes, *chosen.notes),
        stages=(),
        index_age_seconds=None,
        reranked=reranked,
        rerank_failed=asked.rerank_failed,
    )


def _signal(workspace: Workspace, asked: Asked, pool: Sequence[Source], hits: Sequence[Hit], reranked: bool) -> Signal:
    """The best rerank logit of the pool, else the best cosine, with the thresholds of its model."""
    if reranked:
        values = [hit.scores.rerank for hit in hits if hit.scores.rerank is not None]
        model = models.rerank(workspace)
        weak, none = calibration.thresholds(workspace, "rerank", calibration.rerank_digest(model))
        return Signal("rerank", max(values), weak, none)
    values = [hit.scores.vector for hit in hits if hit.scores.vector is not None]
    if not values:
        return Signal(None, None, None, None)
    digest = str(pool[0].snapshot.settings["embedding"]["fingerprint"])
    weak, none = calibration.thresholds(workspace, "vector", digest)
    return Signal("vector", max(values), weak, none)
