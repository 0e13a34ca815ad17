from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.evaluation.agreement import Repeated, agreement, jaccard

answers = st.builds(Repeated, st.sampled_from(["a", "a ", "b c", "b\nc", ""]), st.frozensets(st.integers(1, 4)))


def repeated(text: str, *cited: int) -> Repeated:
    return Repeated(text, frozenset(cited))


@pytest.mark.parametrize("given", [[], [repeated("one", 1)]])
def test_without_a_pair_there_is_nothing_to_agree(given: list[Repeated]) -> None:
    found = agreement(given)
    assert (found.pairs, found.citing_pairs, found.equal_text, found.cited_jaccard) == (0, 0, None, None)


def test_texts_are_the_same_but_for_white_space() -> None:
    found = agreement([repeated("It is  seven.\n"), repeated(" It is seven."), repeated("It is Seven.")])
    assert (found.pairs, found.equal_text) == (3, pytest.approx(1 / 3))


def test_pairs_that_both_cite_nothing_have_no_index_and_one_that_does_has() -> None:
    found = agreement([repeated("a"), repeated("b"), repeated("c", 1, 2)])
    assert (found.pairs, found.citing_pairs, found.cited_jaccard) == (3, 2, 0.0)
    assert agreement([repeated("a"), repeated("b")]).cited_jaccard is None


def test_the_jaccard_index_of_a_worked_example() -> None:
    assert jaccard({1, 2, 3}, {2, 3, 4}) == 0.5
    assert jaccard({1}, {1}) == 1.0
    assert jaccard({1}, set()) == 0.0
    assert jaccard(set(), set()) is None


@given(st.lists(answers, max_size=6))
def test_agreement_counts_every_pair_whatever_their_order(given: list[Repeated]) -> None:
    found = agreement(given)
    assert found == agreement(list(reversed(given)))
    assert found.pairs == len(list(combinations(given, 2)))
    assert found.citing_pairs <= found.pairs
    for share in (found.equal_text, found.cited_jaccard):
        assert share is None or 0 <= share <= 1
    if len({" ".join(one.text.split()) for one in given}) == 1 and len(given) > 1:
        assert found.equal_text == 1
