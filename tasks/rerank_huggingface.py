"""Cross-encoders of the Hugging Face kind, from files on this disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.huggingface import OnDevice, devices, loading, on_cores, quiet
from tasks.models import RerankConfig, local_folder, not_a_reranker
from tasks.scoring import RerankFailed
from tasks.weights import RERANKER

if TYPE_CHECKING:
    from pathlib import Path

ACCELERATED_BATCH = 16
UNKNOWN_WINDOW = 512


class HuggingFaceScorer:
    """`CrossEncoder` with no activation, whatever its files or the library's version say.

    On a CPU a pair has no batch mates, so that the pool cannot move a score; on other devices there are batches.
    """

    def __init__(self, config: RerankConfig) -> None:
        folder = local_folder(config.model, config.models_dir, RERANKER.setting).path
        with loading(RERANKER.setting, config.model):
            self._model = OnDevice(lambda device: _load(folder, device), devices(config.device))
            labels, window = self._model.run(lambda model: (model.num_labels, model.max_seq_length))
        if labels != 1:
            raise not_a_reranker(config.model, f"gives {labels} scores for a pair instead of one")
        self.window: int = window or UNKNOWN_WINDOW

    def logits(self, query: str, passages: Sequence[str]) -> list[float]:
        pairs = [(query, passage) for passage in passages]
        try:
            scores = self._model.run(lambda model: self._predict(model, pairs))
        except RuntimeError as error:
            raise RerankFailed(" ".join(str(error).split())[:200]) from error
        return [float(score) for score in scores]

    def _predict(self, model: Any, pairs: list[tuple[str, str]]) -> Any:
        if self._model.device != "cpu":
            return model.predict(pairs, batch_size=ACCELERATED_BATCH, show_progress_bar=False)
        return on_cores(lambda pair: model.predict([pair], batch_size=1, show_progress_bar=False)[0], pairs)


def _load(folder: Path, device: str) -> Any:
    with quiet():
        import torch
        from sentence_transformers import CrossEncoder

        return CrossEncoder(str(folder), device=device, local_files_only=True, activation_fn=torch.nn.Identity())
