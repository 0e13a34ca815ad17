"""The order rerank, floor, cap, cut over a real search: equal to a plain model, and to no model in another order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from store.records import Hit
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.pipelines import loaded
from wherein.pipelines.query import QueryOptions, Trail, search
from wherein.workspace import Workspace

CASES = 60
WORDS = ("ale", "bee", "cod", "dew", "elm", "fir", "gum", "hop")


class Drawn:
    """A reranker whose logits are drawn by the text."""

    digest = "drawn"
    window = 512

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        return [Random(f"{self.seed} {query} {text}").uniform(-4, 4) for text in passages]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    use(monkeypatch, HashedWords())
    made = Folder(tmp_path)
    settings = (tmp_path / "wherein.toml").read_text(encoding="utf-8").replace("enabled = false", "enabled = true")
    (tmp_path / "wherein.toml").write_text(settings + "pin_rare = false\n", encoding="utf-8")
    draw = Random(4)
    for name, paragraphs in (("a", 6), ("b", 3), ("c", 2), ("d", 1)):
        texts = [" ".join(["ale", *draw.choices(WORDS, k=12)]) for _ in range(paragraphs)]
        made.write(f"{name}.txt", "\n\n".join(texts).encode())
    made.ingest()
    return made


Shown = list[tuple[str, int]]
Step = Callable[[list[Hit]], list[Hit]]


def floored(floor: float) -> Step:
    return lambda hits: [h for h in hits if 1 / (1 + math.exp(-(h.scores.rerank or 0))) >= floor]


def capped(most: int) -> Step:
    def step(hits: list[Hit]) -> list[Hit]:
        taken: Counter[str] = Counter()
        within, beyond = [], []
        for hit in hits:
            taken[hit.path] += 1
            (within if taken[hit.path] <= most else beyond).append(hit)
        return within + beyond

    return step


def minmax(values: Sequence[float]) -> list[float]:
    return [(value - min(values)) / (max(values) - min(values)) for value in values]


def blended(pool: list[Hit]) -> Step:
    """By fused score and logit over the whole pool in equal parts."""
    fused, logits = minmax([h.scores.fused for h in pool]), minmax([h.scores.rerank or 0 for h in pool])
    final = {h.key: 0.5 * one + 0.5 * other for h, one, other in zip(pool, fused, logits, strict=True)}
    return lambda hits: sorted(hits, key=lambda h: (-final[h.key], h.key))


def walked(pool: list[Hit], steps: Sequence[Step]) -> Shown:
    """The pool in its fused order, taken through the steps."""
    hits = sorted(pool, key=lambda h: h.ranks.fused or 0)
    for step in steps:
        hits = step(hits)
    return [(h.path, h.position) for h in hits]


def orders(pool: list[Hit], floor: float, most: int, k: int) -> dict[str, list[Step]]:
    """The order there is, and others; capped-out passages fill the places that stay free in all of them."""
    reranked, cap, drop = blended(pool), capped(most), floored(floor)

    def cut(hits: list[Hit]) -> list[Hit]:
        return hits[:k]

    return {
        "rerank, floor, cap, cut": [reranked, drop, cap, cut],
        "rerank after the cap and cut": [cap, cut, reranked, drop],
        "rerank after the cut": [cut, reranked, drop, cap],
        "floor after the cut": [reranked, cap, cut, drop],
        "floor after the cap": [reranked, cap, drop, cut],
        "cap after the cut": [reranked, drop, cut, cap],
    }


def test_a_search_goes_by_rerank_floor_cap_cut_and_by_no_other_order(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    differing: Counter[str] = Counter()
    draw = Random(7)
    for case in range(CASES):
        floor, most, k = draw.choice([0.2, 0.5, 0.7]), draw.randint(1, 3), draw.randint(2, 6)
        monkeypatch.setattr(loaded, "reranker", lambda _config, seed=case: Drawn(seed))
        trails: list[Trail] = []
        settings = (f"retrieval.floor={floor}", "rerank.weight=0.5")
        asked = QueryOptions(k=k, per_source=most, mode="hybrid")
        found = search(Workspace.find(folder.place, settings), " ".join(draw.choices(WORDS, k=2)), asked, trails.append)
        shown = [(hit.path, hit.position) for hit in found.hits or found.nearest]
        pool = list(trails[0].hits)
        for name, steps in orders(pool, floor, most, k).items():
            differing[name] += walked(pool, steps) != shown
    right = differing.pop("rerank, floor, cap, cut")
    assert right == 0
    assert all(differing.values()), differing


def test_the_whole_pool_is_scored_however_little_is_shown(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []

    class Counting(Drawn):
        def score(self, query: str, passages: Sequence[str]) -> list[float]:
            sent.append(len(passages))
            return super().score(query, passages)

    monkeypatch.setattr(loaded, "reranker", lambda _config: Counting(1))
    trails: list[Trail] = []
    search(folder.workspace, "ale bee", QueryOptions(k=1, per_source=1), trails.append)
    assert sent == [len(trails[0].hits)]
    assert sent[0] > 5
