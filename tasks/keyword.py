"""The keyword channel: BM25 over the collection's own lexicon.

`wherein.llama_index` offers the same as a LlamaIndex retriever; importing that takes a second, which a search
need not pay.
"""

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
    from numpy.typing import NDArray

Terms = Callable[[Source], list[str]]
"""The distinct query terms for a source, in its languages."""


@stage("keyword")
def keyword(sources: Sequence[Source], terms: Terms, pool: int) -> list[Ranked]:
    """The `pool` best distinct texts with a positive BM25 score over all sources."""
    return matching(sources, terms, pool)


def matching(sources: Sequence[Source], terms: Terms, pool: int) -> list[Ranked]:
    """Highest BM25 score first, ties by key; zero is no match."""
    found: list[tuple[float, PassageKey, str]] = []
    for source in sources:
        scores = source.standing(bm25_scores(source, terms(source)))
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
    return source.snapshot.lexicon.scores(sorted(set(terms)))


def bm25s_index(lexicon: Lexicon) -> Any:
    """A bm25s index with the scores of the lexicon; its terms are asked for by id."""
    import bm25s

    index = bm25s.BM25(method="lucene", backend="numpy")
    index.scores = {**lexicon.columns, "num_docs": lexicon.rows}
    index.nonoccurrence_array = None
    return index
