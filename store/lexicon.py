"""The keyword index of a generation: BM25 scores by term, built from the catalog's term counts.

score(t, d) = idf(t) · tf / (tf + k1 · (1 − b + b · |d| / avgdl)),
idf(t) = ln(1 + (N − df + 0.5) / (df + 0.5)):
BM25 as Lucene computes it (Kamphuis et al., 2020), which is the default method of bm25s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.5
B = 0.75


def build(
    term_ids: NDArray[np.uint32], counts: NDArray[np.uint8], per_row: NDArray[np.int64], terms: dict[int, str]
) -> dict[str, NDArray[Any]]:
    """The arrays of a CSC matrix (rows = chunks, columns = terms in code-point order) and the term list.

    `term_ids`, `counts`: postings of all rows, one after the other; `per_row`: how many each row has.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    rows = len(per_row)
    used = np.unique(term_ids)
    ordered = sorted((terms[int(i)], int(i)) for i in used)
    column_of = np.zeros(int(used.max()) + 1 if len(used) else 1, dtype=np.int32)
    column_of[[i for _, i in ordered]] = np.arange(len(ordered), dtype=np.int32)
    indptr = np.concatenate(([0], np.cumsum(per_row))).astype(np.int64)
    matrix = csr_matrix((counts.astype(np.float32), column_of[term_ids], indptr), shape=(rows, len(ordered))).tocsc()
    matrix.sort_indices()
    lengths = np.add.reduceat(np.append(counts, 0).astype(np.int64), indptr[:-1]) if rows else np.zeros(0)
    lengths = np.where(per_row > 0, lengths, 0).astype(np.float64)
    blob, offsets = _pack([term for term, _ in ordered])
    return {
        "data": _scores(matrix, lengths),
        "indices": matrix.indices.astype(np.int32),
        "indptr": matrix.indptr.astype(np.int64),
        "terms": blob,
        "offsets": offsets,
    }


def _scores(matrix: Any, lengths: NDArray[np.float64]) -> NDArray[np.float32]:
    import numpy as np

    rows = len(lengths)
    frequency = np.diff(matrix.indptr).astype(np.float64)
    idf = np.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))
    average = float(lengths.sum()) / rows if rows and lengths.sum() else 1.0
    norm = (K1 * (1 - B + B * lengths / average)).astype(np.float32)
    tf = matrix.data
    scores = tf / (tf + norm[matrix.indices])
    scores *= np.repeat(idf.astype(np.float32), np.diff(matrix.indptr))
    return np.asarray(scores, dtype=np.float32)


def _pack(terms: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    import numpy as np

    encoded = [term.encode() for term in terms]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(e) for e in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


class Lexicon:
    """An opened keyword index; terms are found by binary search in the memory map."""

    def __init__(self, arrays: dict[str, NDArray[Any]], rows: int) -> None:
        self.arrays = arrays
        self.rows = rows

    def term_id(self, term: str) -> int | None:
        """The column of a term, or None if no chunk holds it."""
        wanted, offsets, blob = term.encode(), self.arrays["offsets"], self.arrays["terms"]
        low, high = 0, len(offsets) - 1
        while low < high:
            middle = (low + high) // 2
            if bytes(blob[offsets[middle] : offsets[middle + 1]]) < wanted:
                low = middle + 1
            else:
                high = middle
        found = low < len(offsets) - 1 and bytes(blob[offsets[low] : offsets[low + 1]]) == wanted
        return low if found else None

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every row (n,) for distinct terms: the sum over their columns, as bm25s has it.

        Importing bm25s for it would cost a search a third of a second.
        """
        import numpy as np

        total = np.zeros(self.rows, dtype=np.float32)
        for term in terms:
            if (column := self.term_id(term)) is not None:
                start, end = self.arrays["indptr"][column : column + 2]
                total[self.arrays["indices"][start:end]] += self.arrays["data"][start:end]
        return total

    def rows_with(self, term: str) -> NDArray[np.int32]:
        """The rows of the chunks that hold a term, ascending."""
        column = self.term_id(term)
        if column is None:
            return self.arrays["indices"][:0]
        start, end = self.arrays["indptr"][column : column + 2]
        return self.arrays["indices"][start:end]
