"""The keyword index of a generation: how often each term occurs in each row, and BM25 scores computed from that.

score(t, d) = idf(t) · tf / (tf + k1 · (1 − b + b · |d| / avgdl)),
idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5)):
BM25 as Lucene computes it (Kamphuis et al., 2020), which is the default method of bm25s.

Arrays: `rows` and `counts` of all postings by term, then row; `indptr` (terms + 1,) where each term's begin;
`blob` and `offsets` the terms in code-point order; `lengths` and `norm` (rows,) the terms of a row, and
k1 · (1 − b + b · |d| / avgdl).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from store.terms import Terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.5
B = 0.75

Arrays = Mapping[str, "NDArray[Any]"]


def norm(lengths: NDArray[np.int32]) -> NDArray[np.float32]:
    """What a term's count is weighed against, by row (n,), float32."""
    import numpy as np

    total = int(lengths.sum(dtype=np.int64))
    average = total / len(lengths) if total else 1.0
    return (K1 * (1 - B + B * lengths.astype(np.float64) / average)).astype(np.float32)


class Lexicon:
    """An opened keyword index; terms are found by binary search in the memory map."""

    def __init__(self, arrays: Arrays, rows: int) -> None:
        self.arrays = arrays
        self.rows = rows
        self._terms = Terms(arrays["blob"], arrays["offsets"])

    def term_id(self, term: str) -> int | None:
        """The column of a term, or None if no chunk holds it."""
        return self._terms.find(term.encode())

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every row (n,) for distinct terms: the sum over their columns, as bm25s has it.

        Importing bm25s for it would cost a search a third of a second.
        """
        import numpy as np

        total = np.zeros(self.rows, dtype=np.float32)
        for term in terms:
            if (column := self.term_id(term)) is not None:
                place = self._place(column)
                total[self.arrays["rows"][place]] += self._column(place) * self._idf(place.stop - place.start)
        return total

    def rows_with(self, term: str) -> NDArray[np.int32]:
        """The rows of the chunks that hold a term, ascending."""
        column = self.term_id(term)
        rows: NDArray[np.int32] = self.arrays["rows"]
        return rows[:0] if column is None else rows[self._place(column)]

    def rarest_term(self, row: int) -> str | None:
        """The term of a row that the fewest rows hold, the first of several; None for a row without any."""
        import numpy as np

        columns = np.searchsorted(self.arrays["indptr"], np.flatnonzero(self.arrays["rows"] == row), side="right") - 1
        if not len(columns):
            return None
        return self._terms[int(columns[np.argmin(np.diff(self.arrays["indptr"])[columns])])].decode()

    def rows_with_any(self, terms: Iterable[str], most: int) -> list[int]:
        """The rows that hold any of some terms, ascending; no more of each term's than `most` and one."""
        return sorted({row for term in terms for row in self.rows_with(term)[: most + 1].tolist()})

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All scores at once, as bm25s wants them: `data`, `indices`, `indptr` of a CSC matrix."""
        import numpy as np

        frequencies = np.diff(self.arrays["indptr"])
        data = self._column(slice(0, len(self.arrays["rows"])))
        data *= np.repeat(self._idf(frequencies), frequencies)
        return {"data": data, "indices": self.arrays["rows"], "indptr": self.arrays["indptr"]}

    def _place(self, column: int) -> slice:
        start, end = self.arrays["indptr"][column : column + 2]
        return slice(int(start), int(end))

    def _column(self, place: slice) -> NDArray[np.float32]:
        """tf / (tf + norm) of some postings."""
        import numpy as np

        tf = self.arrays["counts"][place].astype(np.float32)
        weighed: NDArray[np.float32] = tf / (tf + self.arrays["norm"][self.arrays["rows"][place]])
        return weighed

    def _idf(self, frequency: Any) -> Any:
        """Of a document frequency, or of an array of them; float32."""
        import numpy as np

        exact = np.log(1 + (self.rows - frequency + 0.5) / (frequency + 0.5))
        return np.asarray(exact, dtype=np.float32)
