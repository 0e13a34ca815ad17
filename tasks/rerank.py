"""Score pairs of query and passage, each independent of the others: raw logits, or mean cosines by late interaction."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from store.errors import usage
from tasks.models import RerankConfig, RerankSpec, rerank_spec
from tasks.onnx_models import Bert
from tasks.scoring import RerankFailed, Scorer
from tasks.stage import stage
from tasks.weights import RERANKER

if TYPE_CHECKING:
    from tasks.late_interaction import LateInteractionScorer
    from tasks.rerank_huggingface import HuggingFaceScorer
    from tasks.rerank_server import ServedScorer

REMEMBERED = 4096


class Reranker:
    """A reranker that is loaded; it remembers the last pairs it scored."""

    def __init__(self, spec: RerankSpec, scorer: Scorer) -> None:
        self.model = spec.model
        self.digest = spec.digest
        self.window = scorer.window
        self._scorer = scorer
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Raw scores, one for each passage. Raises RerankFailed; NaN and infinity never get out."""
        new = sorted({text for text in passages if (query, text) not in self._known})
        scored = {text: self._known[query, text] for text in passages if (query, text) in self._known}
        for text, logit in zip(new, self._scorer.logits(query, new) if new else [], strict=True):
            if not math.isfinite(logit):
                raise RerankFailed("the reranker gave a passage a score that is no finite number")
            scored[text] = logit
        self._remember(query, scored)
        return [scored[text] for text in passages]

    def _remember(self, query: str, scored: dict[str, float]) -> None:
        for text, logit in scored.items():
            self._known[query, text] = logit
            self._known.move_to_end((query, text))
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


@stage("rerank")
def rerank(reranker: Reranker, query: str, passages: Sequence[str]) -> list[float]:
    """Raw scores of a pool, in its order."""
    return reranker.score(query, passages)


def load_reranker(config: RerankConfig) -> Reranker:
    """Raises WhereinError (code 2) naming the setting if the model cannot be loaded. Servers are not asked."""
    spec = rerank_spec(config)
    return Reranker(spec, _SCORERS[spec.kind](config))


class BundledScorer:
    """One pair at a time: a logit depends on its own pair alone, bit for bit."""

    def __init__(self, threads: int | None = None) -> None:
        self._bert = Bert(RERANKER, threads)
        self.window = RERANKER.window

    def logits(self, query: str, passages: Sequence[str]) -> list[float]:
        start = self._bert.ids(query)
        pairs = [self._bert.pair(start, self._bert.ids(passage)) for passage in passages]
        return [float(logit) for logit in self._bert.run_all(pairs)]


def _bundled(config: RerankConfig) -> BundledScorer:
    _check_device(config)
    return BundledScorer()


def _late_interaction(config: RerankConfig) -> LateInteractionScorer:
    from tasks.late_interaction import LateInteractionScorer

    _check_device(config)
    return LateInteractionScorer()


def _check_device(config: RerankConfig) -> None:
    if config.device not in ("auto", "cpu"):
        raise usage(
            f"Setting embedding.device is {config.device!r}, but rerank.model {config.model!r} runs on the CPU only;"
            ' use "auto" or "cpu".'
        )


def _huggingface(config: RerankConfig) -> HuggingFaceScorer:
    from tasks.rerank_huggingface import HuggingFaceScorer

    return HuggingFaceScorer(config)


def _server(config: RerankConfig) -> ServedScorer:
    from tasks.rerank_server import ServedScorer

    return ServedScorer(config)


_SCORERS: dict[str, Callable[[RerankConfig], Scorer]] = {
    "bundled": _bundled,
    "late interaction": _late_interaction,
    "huggingface": _huggingface,
    "server": _server,
}
