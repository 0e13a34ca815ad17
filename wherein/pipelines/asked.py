"""A query with everything that is settled before retrieval."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tasks.dates import QuestionDates, question_dates
from tasks.filters import Filters
from tasks.globs import nfc
from tasks.route import route
from wherein.pipelines import options
from wherein.pipelines.expansion import Expansion
from wherein.pipelines.options import QueryOptions, Wording
from wherein.schema import Settings
from wherein.workspace import Workspace

_TOLD = 3
LONGEST_EXAMPLE = 2000
"""Characters of a text that others are compared with."""


@dataclass
class Asked:
    """`mode` and `reranked` are what runs; `notes` grow on the way.

    `wordings` are searched for as well; `as_passage`: the query is embedded as documents are; `called`: the files whose
    names the query holds, by collection and id.
    """

    query: str
    options: QueryOptions
    filters: Filters
    dates: QuestionDates
    mode: str
    reranked: bool
    settings: Settings
    notes: list[str] = field(default_factory=list)
    rerank_failed: bool = False
    wordings: tuple[Wording, ...] = ()
    as_passage: bool = False
    expansion_failed: bool = False
    called: dict[str, dict[int, str]] = field(default_factory=dict)

    @property
    def k(self) -> int:
        return self.options.k or self.settings.retrieval.k

    @property
    def per_source(self) -> int:
        chosen = self.options.per_source
        return self.settings.retrieval.per_source if chosen is None else chosen

    def expanded(self, found: Expansion) -> None:
        self.wordings, self.expansion_failed = (*self.wordings, *found.wordings), found.failed
        self.notes += found.notes

    def worded(self, wording: Wording) -> Asked:
        """The same query in another wording; its notes are not kept."""
        return replace(self, query=wording.text, as_passage=wording.passage, notes=[])

    def call(self, files: dict[str, dict[int, str]]) -> None:
        """Take note of the files whose names the query holds."""
        self.called = files
        paths = [path for name in sorted(files) for path in sorted(files[name].values())]
        more = f" and {len(paths) - _TOLD} more" if len(paths) > _TOLD else ""
        if paths:
            self.notes.append(f"the query names {', '.join(map(nfc, paths[:_TOLD]))}{more}")

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
        notes=[*dates.notes, *(f"searched also by: {wording.text}" for wording in chosen.wordings)],
        wordings=chosen.wordings,
    )


def like(workspace: Workspace, chosen: QueryOptions) -> Asked:
    """A search for what resembles a file, or the passages that cover a line of it; the file itself is left out.

    Not reranked unless that is asked for: the reranker judges answers to questions. Raises WhereinError: exit 4 for a
    file that is not indexed, exit 2 for one that several collections have.
    """
    from wherein.pipelines.show import show

    shown = show(workspace, chosen.like or "", chosen.collections)
    text = shown.text[:LONGEST_EXAMPLE]
    asked = settle(workspace, text, replace(chosen, mode=chosen.mode or workspace.settings.retrieval.prose))
    asked.filters = replace(options.filters("", chosen), without=(shown.path,))
    asked.dates, asked.notes, asked.as_passage = QuestionDates([], None, []), [], True
    asked.reranked = bool(chosen.rerank) and workspace.settings.rerank.enabled
    if len(shown.text) > LONGEST_EXAMPLE:
        asked.notes.append(f"only the first {LONGEST_EXAMPLE:,} characters of {shown.path} were compared; name a line")
    return asked
