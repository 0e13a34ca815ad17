"""Quality of each way to retrieve, on a judged set: `python -m bench.retrieval SET [--limit N] [--rerank]`.

Every document is a text file; its place in the ranking is that of its best passage. No cap per file. With --keep
the files and the index stay there for the next run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wherein
from bench import judged
from wherein.pipelines import loaded

if TYPE_CHECKING:
    from store.records import Evidence
    from tasks.models import RerankConfig

MEASURES = ("nDCG@10", "R@10", "RR@10")
ARMS = {
    "keyword": ("keyword", "minmax"),
    "vector": ("vector", "minmax"),
    "hybrid minmax": ("hybrid", "minmax"),
    "hybrid rrf": ("hybrid", "rrf"),
    "hybrid union": ("hybrid", "union"),
}
Run = dict[str, dict[str, float]]
"""Score by document by query."""


@dataclass(frozen=True)
class Setup:
    """One index, and the pool that each channel fills."""

    folder: Path
    ids: Mapping[str, str]
    overrides: Sequence[str]

    def run(self, queries: Mapping[str, str], mode: str, fusion: str, pool: int, rerank: bool) -> Run:
        """The ranking of documents for every query."""
        pools = [f"retrieval.pool_vector={pool}", f"retrieval.pool_keyword={pool}"]
        fixed = [*pools, f"retrieval.fusion={fusion}", "retrieval.per_source=0", *self.overrides]
        workspace = wherein.Workspace.find(self.folder, fixed)
        return {
            id_: self._documents(wherein.search(text, workspace, mode=mode, rerank=rerank, k=pool))
            for id_, text in queries.items()
        }

    def _documents(self, evidence: Evidence) -> dict[str, float]:
        """Each document once, in order of its first passage; places that hold a hit's very text come with it."""
        paths = [path for hit in evidence.hits for path in (hit.path, *(place.path for place in hit.also_in))]
        ordered = list(dict.fromkeys(self.ids[path] for path in paths))
        return {document: float(len(ordered) - place) for place, document in enumerate(ordered)}


class Remembering:
    """A reranker that scores a pair once, for all the arms that ask."""

    def __init__(self, reranker: Any) -> None:
        self._reranker = reranker
        self._scores: dict[tuple[str, str], float] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reranker, name)

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        new = [text for text in dict.fromkeys(passages) if (query, text) not in self._scores]
        if new:
            scores = self._reranker.score(query, new)
            self._scores.update(((query, text), score) for text, score in zip(new, scores, strict=True))
        return [self._scores[query, text] for text in passages]


def main() -> None:
    """Measure every arm and print a line for each."""
    given = _parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-retrieval-") as temporary:
        folder = given.keep or Path(temporary)
        setup = Setup(folder, judged.unfold(given.set, folder / "files"), given.set_ or [])
        known = judged.read(given.set, given.limit)
        print(f"{given.set.name}: {len(known.queries)} judged queries, {_ingest(folder, setup.overrides)}")
        print(f"{'arm':<26} {'pool':>4} " + " ".join(f"{name:>8}" for name in MEASURES), flush=True)
        runs = _measure(setup, known, given)
    if given.out:
        given.out.write_text(json.dumps(runs), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="a folder with corpus, queries and qrels")
    parser.add_argument("--limit", type=int, help="the first N judged queries only")
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS))
    parser.add_argument("--pool", type=int, default=200)
    parser.add_argument("--rerank", action="store_true", help="each arm with the reranker as well")
    parser.add_argument("--rerank-pool", type=int, default=50, help="the pool of those arms (default 50)")
    parser.add_argument("--set", dest="set_", action="append", metavar="KEY=VALUE", help="a setting, as for wherein")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep files and index here")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every ranking as JSON")
    return parser


def _ingest(folder: Path, overrides: Sequence[str]) -> str:
    settings = '[collections.documents]\npath = "files"\ndates = []\n'
    (folder / "wherein.toml").write_text(settings, encoding="utf-8")
    (report,) = wherein.ingest(workspace=wherein.Workspace.find(folder, overrides))
    return f"{sum(report.files.values())} documents, {report.chunks['total']} chunks ({report.embedded} embedded)"


def _measure(setup: Setup, known: judged.Judged, given: argparse.Namespace) -> dict[str, Run]:
    _remember_logits()
    runs: dict[str, Run] = {}
    for rerank in (False, True)[: 1 + given.rerank]:
        pool = given.rerank_pool if rerank else given.pool
        for arm in given.arms:
            name = arm + (" + rerank" if rerank else "")
            runs[name] = setup.run(known.queries, *ARMS[arm], pool, rerank)
            values = measured(known.qrels, runs[name])
            print(f"{name:<26} {pool:>4} " + " ".join(f"{value:>8.4f}" for value in values), flush=True)
    return runs


def _remember_logits() -> None:
    load, kept = loaded.reranker, dict[Any, Any]()

    def reranker(config: RerankConfig) -> Any:
        if config not in kept:
            kept[config] = Remembering(load(config))
        return kept[config]

    loaded.reranker = reranker  # type: ignore[assignment]


def measured(qrels: Mapping[str, Mapping[str, int]], run: Run) -> list[float]:
    """The measures of a ranking, means over all queries; a query without a hit counts as nothing found."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    found = ir_measures.calc_aggregate(measures, qrels, run)
    return [float(found[measure]) for measure in measures]


if __name__ == "__main__":
    main()
