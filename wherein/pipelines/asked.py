"""A query with everything that is settled before retrieval."""

from __future__ import annotations

from dataclasses import dataclass, field

from tasks.dates import QuestionDates, question_dates
from tasks.filters import Filters
from tasks.route import route
from wherein.pipelines import options
from wherein.pipelines.options import QueryOptions
from wherein.schema import Settings
from wherein.workspace import Workspace


@dataclass
class Asked:
    """`mode` and `reranked` are what runs; `notes` grow on the way."""

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

    def search_by_meaning_too(self) -> None:
        """What becomes of a query that was taken for an identifier and found no word."""
        self.notes.append("no keyword hit: searched by meaning as well")
        self.mode, self.reranked = "hybrid", self.options.rerank is not False and self.settings.rerank.enabled


def settle(workspace: Workspace, query: str, chosen: QueryOptions) -> Asked:
    """Raises WhereinError (exit 2) for what cannot be asked."""
    query = options.check(query, chosen)
    wanted = chosen.mode or "auto"
    routed = route(query) if wanted == "auto" else ""
    mode = {"keyword": "keyword", "prose": workspace.settings.retrieval.prose}.get(routed, wanted)
    reranked = chosen.rerank if chosen.rerank is not None else routed != "keyword"
    dates = question_dates(query, options.today(workspace))
    return Asked(
        query=query,
        options=chosen,
        filters=options.filters(query, chosen),
        dates=dates,
        mode=mode,
        reranked=reranked and workspace.settings.rerank.enabled,
        settings=workspace.settings,
        notes=list(dates.notes),
    )
