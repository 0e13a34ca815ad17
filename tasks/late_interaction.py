"""Late interaction: query and passage are read apart, a vector a token, and compared token by token.

Source: Khattab and Zaharia 2020 (ColBERT). Markers, the length a query is filled up to and the tokens that are left out
are those of the model's own configuration; filling up by the query's length is of Clavié 2024 (JaColBERTv2.5).
"""

from __future__ import annotations

import math
import string
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tasks.onnx_models import Bert
from tasks.parallel import each
from tasks.weights import LATE_INTERACTION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUERY_MARKER, PASSAGE_MARKER, FILLING = "[unused0]", "[unused1]", "[MASK]"
QUERY_TOKENS = 32
"""A query is filled up to a multiple of it."""
LEAST_FILLING = 8
REMEMBERED_VECTORS = 40_000
"""Token vectors of passages that are kept, 1.5 kB each."""


class LateInteractionScorer:
    """The mean, over a query's token vectors, of the best cosine among the passage's: -1 to 1, no logit.

    ColBERT's sum divided by how many there are, so that questions of all lengths have one scale. Passages are read one
    at a time, so a score depends on its own pair alone, and are remembered for the next question.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._bert = Bert(LATE_INTERACTION, threads)
        self.window = LATE_INTERACTION.window
        self._query, self._passage, self._filling = map(self._bert.token, (QUERY_MARKER, PASSAGE_MARKER, FILLING))
        self._skipped = frozenset(map(self._bert.token, string.punctuation))
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def logits(self, query: str, passages: Sequence[str]) -> list[float]:
        asked = self._of_query(query)
        found = self._of_passages(passages)
        return [max_similarity(asked, found[passage]) for passage in passages]

    def _of_query(self, query: str) -> NDArray[np.float32]:
        """Filled up with tokens that nothing attends to, but that look for something in the passage as well."""
        ids, _ = self._bert.single([self._query, *self._bert.ids(query)], self.window)
        filling = filled(len(ids), self.window) - len(ids)
        return _unit(self._bert.tokens([*ids, *[self._filling] * filling], len(ids)))

    def _of_passages(self, passages: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        new = sorted({text for text in passages if text not in self._known}, key=lambda text: (-len(text), text))
        found = {text: self._known[text] for text in passages if text in self._known}
        found |= zip(new, each(self._of_passage, new, self._bert.threads), strict=True)
        for text in dict.fromkeys(passages):
            self._known[text] = found[text]
            self._known.move_to_end(text)
        while sum(map(len, self._known.values())) > REMEMBERED_VECTORS:
            self._known.popitem(last=False)
        return found

    def _of_passage(self, passage: str) -> NDArray[np.float32]:
        """Without punctuation, which the others have read."""
        ids, _ = self._bert.single([self._passage, *self._bert.ids(passage)], self.window)
        kept = [place for place, token in enumerate(ids) if token not in self._skipped]
        return _unit(self._bert.tokens(ids, len(ids))[kept])


def max_similarity(query: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """MaxSim of unit rows (q, d) and (p, d), by the query's length."""
    import numpy as np

    # Not by BLAS: its threads wait for each other busily, which costs more than these small products.
    cosines = np.einsum("qd,pd->qp", query, passage)
    return float(cosines.max(axis=1).mean(dtype=np.float64))


def filled(tokens: int, window: int) -> int:
    """How long a query of so many tokens becomes: the next multiple, or a little more if that leaves little filling."""
    whole = math.ceil(tokens / QUERY_TOKENS) * QUERY_TOKENS
    return min(window, whole + LEAST_FILLING if whole - tokens < LEAST_FILLING else whole)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    norms = np.sqrt(np.einsum("td,td->t", rows, rows))
    return np.asarray(rows / np.maximum(norms, np.float32(1e-12))[:, None], dtype=np.float32)
