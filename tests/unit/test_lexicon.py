from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import lexicon
from store.lexicon import Lexicon

bm25s = pytest.importorskip("bm25s")
WORDS = ["ale", "bee", "cod", "dew", "elm", "résumé", "猫"]


def built(rows: list[list[str]]) -> Lexicon:
    """A lexicon over rows of terms, through the numbering a catalog would give."""
    numbers: dict[str, int] = {}
    ids: list[int] = []
    counts: list[int] = []
    per_row = []
    for row in rows:
        pairs = sorted({numbers.setdefault(t, len(numbers) + 7): row.count(t) for t in row}.items())
        ids += [i for i, _ in pairs]
        counts += [n for _, n in pairs]
        per_row.append(len(pairs))
    arrays = lexicon.build(
        np.array(ids, dtype=np.uint32),
        np.array(counts, dtype=np.uint8),
        np.array(per_row, dtype=np.int64),
        {number: term for term, number in numbers.items()},
    )
    return Lexicon(arrays, len(rows))


def test_no_rows_hold_no_terms() -> None:
    index = built([])
    assert index.term_id("ale") is None
    assert len(index.rows_with("ale")) == 0


def test_a_term_is_found_in_its_rows_only() -> None:
    index = built([["ale"], ["bee", "ale"], [], ["résumé", "猫"]])
    assert index.rows_with("ale").tolist() == [0, 1]
    assert index.rows_with("猫").tolist() == [3]
    assert index.term_id("al") is None
    assert index.term_id("zoo") is None


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=12))
def test_scores_equal_those_of_plain_bm25s(rows: list[list[str]]) -> None:
    if not any(rows):
        return
    stock = bm25s.BM25(method="lucene", k1=lexicon.K1, b=lexicon.B)
    stock.index([[*row] for row in rows], show_progress=False)
    index = built(rows)
    terms = sorted({t for row in rows for t in row})
    for asked in ([], [terms[0]], terms, ["absent", *terms]):
        expected = stock.get_scores([t for t in asked if t != "absent"]) if asked else np.zeros(len(rows))
        assert index.scores(asked) == pytest.approx(expected, abs=1e-5)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=8), st.randoms())
def test_numbering_of_terms_does_not_matter(rows: list[list[str]], random: object) -> None:
    del random
    forward = built(rows)
    backward = built([list(reversed(row)) for row in rows])
    assert all(np.array_equal(forward.arrays[n], backward.arrays[n]) for n in forward.arrays)
