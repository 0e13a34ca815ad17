"""wherein for people who build with LlamaIndex: the whole search, and the keyword channel, as retrievers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from store.records import Hit
from store.snapshot import Passage
from tasks.keyword import bm25_scores, bm25s_index
from tasks.source import Source, top
from wherein.pipelines import sources, wording
from wherein.pipelines.query import QueryOptions, search
from wherein.workspace import Workspace


class WhereinRetriever(BaseRetriever):
    """The search of a workspace: a node a hit, scored by the final score; `options` are those of QueryOptions."""

    def __init__(self, workspace: Workspace, **options: Any) -> None:
        self._workspace = workspace
        self._options = QueryOptions(**options)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        evidence = search(self._workspace, query_bundle.query_str, self._options)
        return [NodeWithScore(node=_node(hit.collection, hit), score=hit.scores.final) for hit in evidence.hits]


class KeywordRetriever(BM25Retriever):  # type: ignore[misc]
    """The stock retriever over the words and the scores of a collection's own index.

    So it keeps one-letter words, identifiers and languages, forgets nothing on reload, and returns no passage
    that holds no word of the query.
    """

    def __init__(self, workspace: Workspace, collection: str, similarity_top_k: int = 10) -> None:
        self._workspace = workspace
        self._collection = collection
        self._strip = workspace.settings.retrieval.strip_request_words
        with _opened(workspace, collection) as source:
            super().__init__(existing_bm25=bm25s_index(source.snapshot.lexicon), similarity_top_k=similarity_top_k)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with _opened(self._workspace, self._collection) as source:
            terms = wording.terms(query_bundle.query_str, source, self._strip)
            scores = source.standing(bm25_scores(source, terms))
            rows = top(scores, source.rows[scores[source.rows] > 0], self.similarity_top_k)
            passages = source.passages(rows)
        return [
            NodeWithScore(node=_node(self._collection, passage), score=float(scores[row]))
            for row, passage in zip(rows, passages, strict=True)
        ]


@contextmanager
def _opened(workspace: Workspace, collection: str) -> Iterator[Source]:
    """A collection's current generation as a source."""
    with sources.opened(workspace, [collection], []) as found:
        yield Source(*found[0])


def _node(collection: str, found: Hit | Passage) -> TextNode:
    place = {"collection": collection, "path": found.path, "line_start": found.line_start, "line_end": found.line_end}
    return TextNode(
        id_=f"{collection}/{found.path}:{found.char_start}",
        text=found.text,
        metadata=place,
        start_char_idx=found.char_start,
        end_char_idx=found.char_end,
    )
