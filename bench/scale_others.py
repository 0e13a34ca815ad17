"""The same files, chunks and questions in other parts: `python -m bench.scale_others PART WORKSPACE [COUNT]`.

`numpy`: one matrix in a file, all cosines, the best 20. `bm25s`: an index of the raw texts, the best 20. `build`,
`refresh`, `search`: those of `bench.stock`, which keeps SimpleVectorStore as JSON, with given vectors. One JSON line.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench import clocks, given_vectors, stock, synthetic
from bench.scale_steps import COLLECTION

POOL = 20


def main() -> None:
    """Run one part and print its line."""
    part, place = sys.argv[1], Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with contextlib.redirect_stdout(sys.stderr):
        line = PARTS[part](place, synthetic.questions(count))
    print(json.dumps({**line, "peak_mb": clocks.peak_mb(), "own_mb": clocks.own_mb()}), flush=True)


def brute_force(place: Path, questions: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    matrix = np.load(vectors(place))

    def best(text: str) -> None:
        cosines = matrix @ given_vectors.vector(text)
        found = np.argpartition(-cosines, POOL)[:POOL]
        found[np.argsort(-cosines[found])]

    opened = clocks.cost(lambda: np.load(vectors(place)))
    return {"open": opened, "vector": clocks.median([partial(best, text) for text in questions])}


def vectors(place: Path) -> Path:
    """The vectors of all chunks in one file, written from the index where it is not there."""
    import numpy as np

    path = place / "vectors.npy"
    if not path.exists():
        with opened(place) as snapshot:
            table = snapshot.rows.arrays
            rows = zip(table["segment"].tolist(), table["row"].tolist(), strict=True)
            np.save(path, np.stack([snapshot.segments[segment][row] for segment, row in rows]))
    return path


def opened(place: Path) -> Any:
    from store import snapshot
    from wherein.workspace import Workspace

    return snapshot.searchable(Workspace.find(place).folder_of(COLLECTION))


def raw_texts(place: Path, questions: Sequence[str]) -> dict[str, Any]:
    import bm25s

    with opened(place) as snapshot:
        texts = [passage.text for passage in snapshot.passages(range(len(snapshot)))]
    index = bm25s.BM25()
    built = clocks.cost(lambda: index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False))

    def best(text: str) -> None:
        index.retrieve(bm25s.tokenize(text, show_progress=False), k=POOL, show_progress=False)

    return {"build": built, "keyword": clocks.median([partial(best, text) for text in questions])}


def set_up() -> None:
    """The library's global settings: given vectors, chunks as long as ours."""
    from llama_index.core import Settings
    from llama_index.core.node_parser import SentenceSplitter

    from bench.given_embedding import GivenEmbedding

    tokenizer = given_vectors.GivenVectors().tokenize
    Settings.embed_model = GivenEmbedding()
    Settings.transformations = [
        SentenceSplitter(chunk_size=256, chunk_overlap=25, paragraph_separator="\n\n", tokenizer=tokenizer)
    ]
    Settings.llm = None


def build(place: Path, _questions: Sequence[str]) -> dict[str, Any]:
    return _step(lambda: stock.build(str(place / "files"), str(place / "stock")))


def refresh(place: Path, _questions: Sequence[str]) -> dict[str, Any]:
    return _step(lambda: stock.refresh(str(place / "files"), str(place / "stock")))


def _step(body: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    set_up()
    found: list[dict[str, Any]] = []
    return {"ingest": clocks.cost(lambda: found.append(body())), "found": found[0]}


def search(place: Path, questions: Sequence[str]) -> dict[str, Any]:
    from llama_index.retrievers.bm25 import BM25Retriever

    set_up()
    indexes: list[Any] = []
    line: dict[str, Any] = {"open": clocks.cost(lambda: indexes.append(stock.load(str(place / "stock"))))}
    index = indexes[0]
    nearest = index.as_retriever(similarity_top_k=POOL)
    words = BM25Retriever.from_defaults(index=index, similarity_top_k=POOL)
    for name, retrievers in (("vector", [nearest]), ("keyword", [words]), ("hybrid", [nearest, words])):
        line[name] = clocks.median([partial(stock.merged, retrievers, text) for text in questions])
    return line


PARTS: dict[str, Callable[[Path, Sequence[str]], dict[str, Any]]] = {
    "numpy": brute_force,
    "bm25s": raw_texts,
    "build": build,
    "refresh": refresh,
    "search": search,
}

if __name__ == "__main__":
    main()
