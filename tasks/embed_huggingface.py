"""Embedding models of the Hugging Face kind, from files on this disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tasks.embedded import BLANK, Embedded
from tasks.huggingface import OnDevice, devices, loading, on_cores, quiet
from tasks.models import EmbeddingConfig, EmbeddingSpec, local_folder
from tasks.weights import EMBEDDER

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.base.embeddings.base import BaseEmbedding


class HuggingFaceBackend:
    """`HuggingFaceEmbedding` on a folder; it adds the prefixes, as prompts of the model.

    On a CPU a text has no batch mates, so that none can move its vector (batches of 8 move it by 2e-7); on other
    devices there are batches.
    """

    def __init__(self, config: EmbeddingConfig, spec: EmbeddingSpec) -> None:
        folder = local_folder(config.model, config.models_dir, EMBEDDER.setting).path
        with loading(EMBEDDER.setting, config.model):
            self._tokenize, self.special_tokens = _tokenizer(folder)
            self._model = OnDevice(lambda device: _load(config, spec, folder, device), devices(config.device))

    def tokenize(self, text: str) -> list[int]:
        return self._tokenize(text)

    def documents(self, texts: Sequence[str]) -> Embedded:
        # Longest first: memory peaks at once, and neighbours in a batch need little padding.
        order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), i))
        return self._embed(texts, order, self._rows)

    def query(self, text: str) -> Embedded:
        return self._embed([text], [0], lambda base, inputs: on_cores(base.get_query_embedding, inputs))

    def base(self) -> BaseEmbedding:
        base: BaseEmbedding = self._model.run(lambda base: base)
        return base

    def close(self) -> None:
        """Nothing is held outside this object."""

    def _rows(self, base: Any, inputs: list[str]) -> list[Any]:
        if self._model.device != "cpu":
            return list(base.get_text_embedding_batch(inputs))
        return on_cores(base.get_text_embedding, inputs)

    def _embed(self, texts: Sequence[str], order: Sequence[int], work: Callable[[Any, list[str]], Any]) -> Embedded:
        result = Embedded(refused={i: BLANK for i in order if not texts[i].strip()})
        wanted = [i for i in order if i not in result.refused]
        if not wanted:
            return result
        try:
            rows = self._model.run(lambda base: work(base, [texts[i] for i in wanted]))
        except RuntimeError as error:
            result.unreachable = " ".join(str(error).split())[:200]
            return result
        result.put_all(wanted, rows)
        return result


def _load(config: EmbeddingConfig, spec: EmbeddingSpec, folder: Path, device: str) -> Any:
    with quiet():
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding

        return HuggingFaceEmbedding(
            model_name=str(folder),
            max_length=spec.window,
            query_instruction=spec.query_prefix,
            text_instruction=spec.document_prefix,
            embed_batch_size=1 if device == "cpu" else config.batch,
            device=device,
            local_files_only=True,
        )


def _tokenizer(folder: Path) -> tuple[Callable[[str], list[int]], int]:
    """How the model counts a text, and how many special tokens it adds to one."""
    file = folder / "tokenizer.json"
    if not file.is_file():
        from transformers import AutoTokenizer

        slow = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        return lambda text: list(slow.encode(text, add_special_tokens=False)), slow.num_special_tokens_to_add()
    from tokenizers import Tokenizer

    fast = Tokenizer.from_file(str(file))
    fast.no_truncation()
    fast.no_padding()
    special = fast.num_special_tokens_to_add(False)
    return lambda text: list(fast.encode(text, add_special_tokens=False).ids), special
