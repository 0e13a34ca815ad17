"""Embedding models behind a server: every text that can be had, and the reason for each that cannot."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tasks.embed_clients import Client, OllamaClient, OpenAIClient
from tasks.embedded import BLANK, Embedded
from tasks.models import OLLAMA_WINDOW, EmbeddingConfig, EmbeddingSpec, ServerConfig
from tasks.onnx_models import SPECIAL_TOKENS, tokenizer
from tasks.patience import Fault, patiently
from tasks.servers import check_address
from tasks.weights import EMBEDDER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from tasks.llama_embedding import ServedEmbedding

PROBE = "the weather of the day"
SUSPECTS = 3
_RETRY_SECONDS = 0.5
_LONG_RUN = re.compile(r"\S{50}(?=\S)")
_PIECE = re.compile(r"\s*\S{1,50}")


def open_server(config: EmbeddingConfig, spec: EmbeddingSpec) -> ServedBackend:
    """Checks address and key; the server is not asked yet."""
    server = config.server
    if server is None:
        raise ValueError(f"no server for the embedding model {config.model!r}")
    check_address(f"models.{server.name}.base_url", server.base_url)
    return ServedBackend(spec, _client(server, spec.window), config.batch, server.base_url)


def _client(server: ServerConfig, window: int) -> Client:
    return OllamaClient(server, window, OLLAMA_WINDOW) if server.provider == "ollama" else OpenAIClient(server)


class ServedBackend:
    """A model behind a server.

    Its tokenizer is unknown: tokens are counted with the bundled model's, long words in pieces of 50 characters.
    """

    special_tokens = SPECIAL_TOKENS

    def __init__(
        self,
        spec: EmbeddingSpec,
        client: Client,
        batch: int,
        address: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.spec = spec
        self.client = client
        self.batch = batch
        self.address = address
        self.sleep = sleep
        self.dimension: int | None = None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer(EMBEDDER)

    def tokenize(self, text: str) -> list[int]:
        spread = _LONG_RUN.sub(r"\g<0> ", text)
        return list(self._tokenizer.encode(spread, add_special_tokens=False).ids)

    def documents(self, texts: Sequence[str]) -> Embedded:
        return self._embed(texts, self.spec.document_prefix)

    def query(self, text: str) -> Embedded:
        return self._embed([text], self.spec.query_prefix)

    def base(self) -> ServedEmbedding:
        from tasks.llama_embedding import ServedEmbedding

        return ServedEmbedding(model_name=self.spec.model).over(self)

    def close(self) -> None:
        self.client.close()

    def cut(self, text: str) -> str:
        """`text`, or as much from its start as fits the window."""
        room = self.spec.window - SPECIAL_TOKENS
        if len(text.encode()) <= room or len(self.tokenize(text)) <= room:
            return text
        end = 0
        for piece in _PIECE.finditer(text):
            room -= len(self._tokenizer.encode(piece.group(), add_special_tokens=False).ids)
            if room < 0:
                break
            end = piece.end()
        return text[:end]

    def _embed(self, texts: Sequence[str], prefix: str) -> Embedded:
        run = _Run(self, [self.cut(prefix + text) for text in texts])
        run.result.refused.update({i: BLANK for i, text in enumerate(texts) if not text.strip()})
        wanted = [i for i in range(len(texts)) if i not in run.result.refused]
        starts = [*range(0, len(wanted), self.batch), len(wanted)]
        try:
            for start, end in pairwise(starts):
                run.take(wanted[start:end])
        except Fault as fault:
            run.result.unreachable = f"{self.address}: {fault.reason}"
        return run.result


class _Run:
    """One call's texts on their way to the server.

    A failed batch is halved until the bad text stands alone, which is asked for once more if the failure is of a
    kind that passes. The text is then blamed, unless it is the third in a row: then a harmless text is sent, and
    if that fails too it is the server that is broken, and the texts blamed last are only unanswered.
    """

    def __init__(self, backend: ServedBackend, inputs: Sequence[str]) -> None:
        self.backend = backend
        self.inputs = inputs
        self.result = Embedded()
        self._suspects: list[int] = []

    def take(self, indexes: Sequence[int]) -> None:
        """Embed these texts, or say why not; raises Fault if the server is to blame."""
        try:
            raws = self._send([self.inputs[i] for i in indexes])
        except Fault as fault:
            if not fault.about_input:
                raise
            self._divide(indexes, fault)
            return
        for index, problem in self._keep(indexes, raws):
            if len(indexes) > 1:
                self.take([index])
            else:
                self._alone(index, problem)

    def _send(self, texts: Sequence[str]) -> list[Any]:
        return patiently(lambda: self.backend.client.send(texts), self.backend.sleep)

    def _keep(self, indexes: Sequence[int], raws: Sequence[Any]) -> list[tuple[int, str]]:
        """Keep what is usable; what is not comes back with its fault."""
        bad = []
        for index, raw in zip(indexes, raws, strict=True):
            problem = self.result.put(index, raw, self.backend.dimension)
            if problem is not None:
                bad.append((index, problem))
                continue
            self.backend.dimension = len(self.result.vectors[index])
            self._suspects.clear()
        return bad

    def _divide(self, indexes: Sequence[int], fault: Fault) -> None:
        if len(indexes) == 1 and fault.fickle:
            self._alone(indexes[0], fault.reason)
        elif len(indexes) == 1:
            self._blame(indexes[0], fault.reason)
        else:
            middle = len(indexes) // 2
            self.take(indexes[:middle])
            self.take(indexes[middle:])

    def _alone(self, index: int, reason: str) -> None:
        self.backend.sleep(_RETRY_SECONDS)
        try:
            raws = self._send([self.inputs[index]])
        except Fault as fault:
            if not fault.about_input:
                raise
            self._blame(index, fault.reason)
            return
        for _, problem in self._keep([index], raws):
            self._blame(index, problem or reason)

    def _blame(self, index: int, reason: str) -> None:
        self.result.refused[index] = reason
        self._suspects.append(index)
        if len(self._suspects) < SUSPECTS:
            return
        try:
            self._probe()
        except Fault:
            for suspect in self._suspects:
                del self.result.refused[suspect]
            raise
        self._suspects.clear()

    def _probe(self) -> None:
        raws = self._send([self.backend.spec.document_prefix + PROBE])
        problem = Embedded().put(0, raws[0], self.backend.dimension)
        if problem is not None:
            raise Fault(problem)
