"""The keyword channel: BM25 over the collection's own lexicon, as a LlamaIndex BM25Retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from store.lexicon import Lexicon
from store.records import PassageKey, Ranked
from tasks.source import Source, top
from tasks.stage import stage
from tasks.vector import distinct

if TYPE_CHECKING:
    import numpy as np
    from llama_index.core.base.base_retriever import BaseRetriever
    from numpy.typing import NDArray

Terms = Callable[[Source], list[str]]
"""The distinct query terms for a source, in its languages."""


@stage("keyword")
def keyword(sources: Sequence[Source], terms: Terms, pool: int) -> list[Ranked]:
    """The `pool` best distinct texts with a positive BM25 score over all sources."""
    found: list[tuple[float, PassageKey, str]] = []
    for source in sources:
        scores = bm25_scores(source, terms(source))
        positive = source.rows[scores[source.rows] > 0]
        rows = top(scores, positive, pool)
        passages = source.passages(rows)
        found += [
            (float(scores[row]), (source.name, p.path, p.position), p.text)
            for row, p in zip(rows, passages, strict=True)
        ]
    return distinct(found, pool)


def bm25_scores(source: Source, terms: Sequence[str]) -> NDArray[np.float32]:
    """BM25 of every row (n,), float32; zero where no term occurs."""
    import numpy as np

    lexicon = source.snapshot.lexicon
    ids = [id_ for term in sorted(set(terms)) if (id_ := lexicon.term_id(term)) is not None]
    if not ids:
        return np.zeros(lexicon.rows, dtype=np.float32)
    scores: NDArray[np.float32] = retriever(lexicon).bm25.get_scores_from_ids(ids)
    return scores


def retriever(lexicon: Lexicon) -> Any:
    """A BM25Retriever that reads the lexicon in place, by term ids of our own analyser."""
    return _retriever_class()(lexicon)


_classes: list[type[BaseRetriever]] = []


def _retriever_class() -> Any:
    """Made on first use: importing LlamaIndex takes a second that `--help` need not pay."""
    if _classes:
        return _classes[0]
    import bm25s
    from llama_index.retrievers.bm25 import BM25Retriever

    class LexiconRetriever(BM25Retriever):  # type: ignore[misc]
        """The stock retriever without its tokenizer: it cannot forget one, nor drop short tokens."""

        def __init__(self, lexicon: Lexicon) -> None:
            index = bm25s.BM25(method="lucene", backend="numpy")
            arrays = lexicon.arrays
            index.scores = {
                "data": arrays["data"],
                "indices": arrays["indices"],
                "indptr": arrays["indptr"],
                "num_docs": lexicon.rows,
            }
            index.nonoccurrence_array = None
            super().__init__(existing_bm25=index, similarity_top_k=max(1, lexicon.rows))

    _classes.append(LexiconRetriever)
    return LexiconRetriever
