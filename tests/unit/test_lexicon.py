from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import lexicon, postings
from store import merge as merging
from store import patch as patching
from store.container import Streamed
from store.embeddings import ordered_terms
from store.lexicon import Lexicon
from store.merge import Moved, merge
from store.postings import Counted, Index, Names, Ordered
from store.terms import Terms

bm25s = pytest.importorskip("bm25s")
WORDS = ["ale", "bee", "cod", "dew", "elm", "résumé", "猫"]


def counted(rows: Sequence[Sequence[str]], numbers: dict[str, int]) -> Counted:
    """The terms of some rows, through the numbering a catalog would give; new ones get a number."""
    ids: list[int] = []
    counts: list[int] = []
    per_row = []
    for row in rows:
        pairs = sorted({numbers.setdefault(t, len(numbers) + 7): row.count(t) for t in row}.items())
        ids += [i for i, _ in pairs]
        counts += [n for _, n in pairs]
        per_row.append(len(pairs))
    return Counted(np.array(ids, dtype=np.uint32), np.array(counts, dtype=np.uint8), np.array(per_row, dtype=np.int64))


def index_of(rows: Sequence[Sequence[str]], numbers: dict[str, int]) -> Index:
    numbered = counted(rows, numbers)
    return postings.build(numbered, ordered(numbers))


def names(numbers: dict[str, int]) -> Names:
    terms = {number: term for term, number in numbers.items()}
    return lambda wanted: {id_: terms[id_] for id_ in wanted.tolist()}


def ordered(numbers: dict[str, int]) -> Ordered:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, term TEXT NOT NULL)")
    connection.executemany("INSERT INTO vocabulary VALUES (?, ?)", [(id_, term) for term, id_ in numbers.items()])
    return partial(ordered_terms, connection)


def built(rows: Sequence[Sequence[str]]) -> Lexicon:
    return Lexicon(index_of(rows, {}).arrays, len(rows))


def whole(index: Index) -> dict[str, np.ndarray]:
    """The arrays with those that are streamed put together."""
    streamed = {n: np.concatenate(list(a.blocks)) for n, a in index.arrays.items() if isinstance(a, Streamed)}
    assert all(index.arrays[n].shape == array.shape for n, array in streamed.items())
    return {n: streamed.get(n, array) for n, array in index.arrays.items()}


def same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> bool:
    return list(one) == list(other) and all(
        one[n].dtype == other[n].dtype and one[n].tobytes() == other[n].tobytes() for n in one
    )


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
    assert same(forward.arrays, backward.arrays)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.booleans(), max_size=30))
def test_terms_come_in_the_order_of_their_letters(chosen: dict[str, bool]) -> None:
    numbers = {term: place + 3 for place, term in enumerate(chosen)}
    wanted = np.array([numbers[term] for term in chosen if chosen[term]], dtype=np.int64)
    ids, packed = ordered(numbers)(wanted)
    terms = Terms(*packed)
    expected = sorted(term for term in chosen if chosen[term])
    assert [terms[place].decode() for place in range(len(terms))] == expected
    assert ids.tolist() == [numbers[term] for term in expected]


def test_a_term_that_is_not_there_is_damage() -> None:
    with pytest.raises(sqlite3.DatabaseError, match="missing"):
        ordered({"ale": 1})(np.array([1, 2], dtype=np.int64))


Row = tuple[bool, bool, list[str]]


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.lists(st.sampled_from(WORDS), max_size=6)), max_size=12))
@pytest.mark.parametrize("block", [1, 3, 1 << 22])
def test_an_index_carried_over_equals_one_built_from_all_rows(block: int, rows: list[Row]) -> None:
    """A row was there before, is there now, or both."""
    with patch.object(merging, "BLOCK", block), patch.object(patching, "BLOCK", block):
        check_carried_over(rows)


def check_carried_over(rows: list[Row]) -> None:
    numbers: dict[str, int] = {}
    before = [(now, row) for then, now, row in rows if then]
    now = [(then, row) for then, now, row in rows if now]
    base = index_of([row for _, row in before], numbers)
    places = iter([place for place, (then, _) in enumerate(now) if then])
    moved = Moved(
        np.array([next(places) if stays else -1 for stays, _ in before], dtype=np.int32),
        np.array([place for place, (then, _) in enumerate(now) if not then], dtype=np.int32),
    )
    new = counted([row for then, row in now if not then], numbers)
    carried = merge(base, moved, new, names(numbers))
    built_anew = index_of([row for _, row in now], numbers)
    assert same(whole(carried), built_anew.arrays)
    assert carried.ids.tolist() == built_anew.ids.tolist()


def test_blocks_of_rows_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[WORDS[n % 7], WORDS[n * n % 5]] for n in range(50)]
    whole = built(rows)
    monkeypatch.setattr(postings, "_BLOCK", 7)
    assert same(built(rows).arrays, whole.arrays)


def test_the_rarest_term_of_a_row_is_the_one_that_fewest_rows_hold() -> None:
    lexicon = built([["ale", "bee"], ["ale", "cod", "bee"], ["ale"], []])
    assert [lexicon.rarest_term(row) for row in range(4)] == ["bee", "cod", "ale", None]
