"""The bundled models on onnxruntime: one text, or one pair, at a time on as many threads as there are cores.

With int8 weights a value depends on everything else in its batch, so there are no batches. One session of one
thread is shared by all callers: as fast as a session each, and the weights are in memory once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.parallel import cores, each
from tasks.weights import Bundled, read

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SPECIAL_TOKENS = 2
PAIR_SPECIAL_TOKENS = 3
PASSAGE_TOKENS = 128
"""Tokens of a passage that a long query must leave room for."""


class Bert:
    """Tokenizer and session of a bundled model; safe to call from several threads."""

    def __init__(self, model: Bundled, threads: int | None = None) -> None:
        self.model = model
        self.threads = threads or cores()
        self.tokenizer = tokenizer(model)
        self._cls, self._sep = self.tokenizer.encode("", add_special_tokens=True).ids
        self._session = _session(read(model, model.graph))

    def ids(self, text: str) -> list[int]:
        """Token ids without special tokens."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def token(self, name: str) -> int:
        """The id of a token of the vocabulary; KeyError if it holds none of that name."""
        found = self.tokenizer.token_to_id(name)
        if found is None:
            raise KeyError(name)
        return int(found)

    def single(self, ids: Sequence[int], window: int) -> tuple[list[int], list[int]]:
        """Input ids and segments of one text, its end cut to the window."""
        kept = [self._cls, *ids[: window - SPECIAL_TOKENS], self._sep]
        return kept, [0] * len(kept)

    def pair(self, query: Sequence[int], passage: Sequence[int]) -> tuple[list[int], list[int]]:
        """Input ids and segments of a pair; only the passage is cut, unless the query leaves it no room."""
        room = self.model.window - PAIR_SPECIAL_TOKENS
        first = [self._cls, *query[: room - min(len(passage), PASSAGE_TOKENS)], self._sep]
        second = [*passage[: self.model.window - len(first) - 1], self._sep]
        return [*first, *second], [0] * len(first) + [1] * len(second)

    def run(self, inputs: tuple[list[int], list[int]]) -> Any:
        """What the graph says at the first token: (d,) float32 of an embedder, () float32 of a reranker."""
        import numpy

        ids, segments = inputs
        return numpy.array(self._output(ids, segments, [1] * len(ids))[0])

    def tokens(self, ids: Sequence[int], attended: int) -> Any:
        """What the graph says at every token of one text (n, d) float32; only the first `attended` are attended to."""
        return self._output(ids, [0] * len(ids), [1] * attended + [0] * (len(ids) - attended))

    def _output(self, ids: Sequence[int], segments: Sequence[int], mask: Sequence[int]) -> Any:
        import numpy

        names = ("input_ids", "attention_mask", "token_type_ids")
        rows = (numpy.asarray([row], dtype=numpy.int64) for row in (ids, mask, segments))
        return self._session.run(None, dict(zip(names, rows, strict=True)))[0][0]

    def run_all(self, inputs: Sequence[tuple[list[int], list[int]]]) -> list[Any]:
        """`run` of every input, the longest first so that no thread is left with a long one at the end."""
        order = sorted(range(len(inputs)), key=lambda i: (-len(inputs[i][0]), i))
        outputs = each(lambda i: self.run(inputs[i]), order, self.threads)
        by_index = dict(zip(order, outputs, strict=True))
        return [by_index[i] for i in range(len(inputs))]


def tokenizer(model: Bundled) -> Tokenizer:
    """The model's tokenizer, cutting and padding nothing."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_buffer(read(model, model.tokenizer))
    found.no_truncation()
    found.no_padding()
    return found


def _session(graph: bytes) -> Any:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
