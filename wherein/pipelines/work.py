"""What the stages compute of a query, each when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from store.errors import WhereinError
from store.records import Ranked
from store.snapshot import Snapshot
from tasks.embedded import Refused, Unreachable
from tasks.file_names import beginnings, within
from tasks.keyword import keyword, matching
from tasks.models import EmbeddingConfig
from tasks.nominate import nominate
from tasks.source import Source
from tasks.vector import nearest, vector
from wherein.pipelines import loaded, models, sources, wording
from wherein.pipelines.asked import Asked
from wherein.pipelines.expansion import Expansion, expand
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Opened = Sequence[tuple[str, Snapshot]]


class Work:
    """The channels and the reranker over the generations that were opened."""

    def __init__(self, workspace: Workspace, found: Opened) -> None:
        self.workspace = workspace
        self.found = found

    def pool(self, asked: Asked) -> list[Source]:
        """The sources that hold anything, with the rows that the filters let through."""
        return [s for s in sources.sources(self.workspace, self.found, asked.filters) if len(s.snapshot)]

    def query_vectors(self, asked: Asked, pool: Sequence[Source]) -> Mapping[str, NDArray[np.float32]]:
        """The query's unit vector by source, embedded once for each model, when it is first looked up."""
        return QueryVectors(self.workspace, asked, pool)

    def vector(
        self, asked: Asked, pool: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], depth: int
    ) -> list[Ranked]:
        return vector(pool, queries, depth)

    def keyword(self, asked: Asked, pool: Sequence[Source], depth: int) -> list[Ranked]:
        strip = asked.settings.retrieval.strip_request_words
        return keyword(pool, lambda source: wording.terms(asked.query, source, strip), depth)

    def date(
        self, asked: Asked, pool: Sequence[Source], queries: Mapping[str, NDArray[np.float32]], depth: int
    ) -> list[Ranked]:
        return nominate(pool, queries, asked.dates.ranges, depth)

    def named(
        self, asked: Asked, pool: Sequence[Source], queries: Mapping[str, NDArray[np.float32]] | None, depth: int
    ) -> list[Ranked]:
        """Passages of the files that the query calls by name: the nearest ones, or by words alone the best, else
        the first."""
        sources = within(pool, asked.called)
        if queries is not None:
            return nearest(sources, queries, depth)
        strip = asked.settings.retrieval.strip_request_words
        found = matching(sources, lambda source: wording.terms(asked.query, source, strip), depth)
        return found or beginnings(sources, 1)

    def expansion(self, asked: Asked, model: Model) -> Expansion:
        """Other wordings of the query."""
        return expand(self.workspace, model, asked.query, asked.options)

    def logits(self, asked: Asked, texts: Sequence[str]) -> list[float]:
        """Raw logits of some passages; raises RerankFailed."""
        from tasks.rerank import rerank

        return rerank(loaded.reranker(models.rerank(self.workspace)), asked.query, texts)


class QueryVectors(Mapping[str, Any]):
    """The vector of a query for each source, in the model of its generation."""

    def __init__(self, workspace: Workspace, asked: Asked, pool: Sequence[Source]) -> None:
        self._asked = asked
        self._configs = {s.name: sources.embedding_of(workspace, s.snapshot.settings) for s in pool}
        self._vectors: dict[EmbeddingConfig, NDArray[np.float32]] = {}

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        config = self._configs[name]
        if config not in self._vectors:
            self._vectors[config] = self._embedded(config)
        return self._vectors[config]

    def __iter__(self) -> Iterator[str]:
        return iter(self._configs)

    def __len__(self) -> int:
        return len(self._configs)

    def _embedded(self, config: EmbeddingConfig) -> NDArray[np.float32]:
        embedder = loaded.embedder(config)
        if not embedder.query_fits(self._asked.query):
            self._asked.notes.append(
                f"the question is longer than the window of {config.model!r}: its end was not read"
            )
        try:
            if not self._asked.as_passage:
                return embedder.embed_query(self._asked.query)
            (row,) = embedder.embed([self._asked.query])
        except (Refused, Unreachable) as error:
            raise WhereinError(
                f"The embedding model {config.model!r} did not embed the question ({error}):"
                " try again, or search by words alone with --mode keyword.",
                kind="embedding",
            ) from error
        return cast("NDArray[np.float32]", row)
