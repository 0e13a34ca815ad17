"""Selection: floor, then cap, then cut, around pinned hits; and how sure the evidence is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.records import Dropped, Hit, Ranks, Scores
from tasks.select import MOST_PINNED, confidence, select


def hit(name: str, *, rerank: float | None = None, vector: float | None = None, pinned: bool = False) -> Hit:
    """`A2` is the second passage of file A.md."""
    path, position = f"{name[0]}.md", int(name[1:] or 1)
    scores = Scores(vector=vector, rerank=rerank)
    return Hit(1, "notes", path, None, None, 1, 1, 0, 1, name, scores, Ranks(), pinned, position=position)


def pool(names: str, pinned: str = "") -> list[Hit]:
    return [hit(name, pinned=name in pinned.split()) for name in names.split()]


def names(hits: Sequence[Hit]) -> str:
    return " ".join(hit.text for hit in hits)


def test_a_capped_out_passage_has_had_its_chance() -> None:
    reranked = pool("C A3 A1 A2 B")  # fused A1 A2 A3 B C
    selection = select(reranked, 0.0, 2, 3)
    assert names(selection.hits) == "C A3 A1"
    assert selection.dropped == Dropped(floor=0, cap=1, cut=1)


def test_a_hit_below_the_floor_is_replaced() -> None:
    hits = [hit("A1", rerank=5.0), hit("B", rerank=-9.0), hit("C", rerank=4.0)]
    selection = select(hits, 0.5, 0, 2)
    assert names(selection.hits) == "A1 C"
    assert selection.dropped == Dropped(floor=1)


def test_a_hit_below_the_floor_takes_no_place_under_the_cap() -> None:
    hits = [hit("A1", rerank=-9.0), hit("A2", rerank=5.0), hit("A3", rerank=4.0)]
    assert names(select(hits, 0.5, 1, 1).hits) == "A2"


def test_no_hits_select_nothing() -> None:
    selection = select([], 0.5, 3, 15)
    assert (selection.hits, selection.dropped, selection.notes) == ([], Dropped(), [])


def test_fewer_hits_than_places_are_all_there_is() -> None:
    assert names(select(pool("A1"), 0.0, 3, 20).hits) == "A1"


def test_final_ranks_count_from_one() -> None:
    assert [hit.rank for hit in select(pool("C A1 B"), 0.0, 0, 3).hits] == [1, 2, 3]


def test_free_places_go_to_capped_out_hits_in_their_order_with_a_note() -> None:
    selection = select(pool("A1 A2 A3 B A4 A5"), 0.0, 1, 4)
    assert names(selection.hits) == "A1 B A2 A3"
    assert selection.dropped == Dropped(cap=2)
    assert len(selection.notes) == 1
    assert "2 more passages" in selection.notes[0]


def test_without_free_places_there_is_no_note() -> None:
    assert select(pool("A1 A2 B"), 0.0, 1, 2).notes == []


def test_no_cap_is_zero() -> None:
    assert names(select(pool("A1 A2 A3"), 0.0, 0, 3).hits) == "A1 A2 A3"


def test_the_cap_is_per_collection_and_path() -> None:
    from dataclasses import replace

    hits = [hit("A1"), replace(hit("A2"), collection="other"), hit("A3"), hit("B")]
    assert names(select(hits, 0.0, 1, 3).hits) == "A1 A2 B"


@pytest.mark.parametrize(
    ("logit", "floor", "kept"), [(0.0, 0.5, True), (-0.001, 0.5, False), (-800.0, 0.001, False), (800.0, 0.999, True)]
)
def test_a_floor_reads_the_sigmoid_of_a_logit(logit: float, floor: float, kept: bool) -> None:
    assert bool(select([hit("A", rerank=logit, vector=-1.0)], floor, 0, 1).hits) == kept


@pytest.mark.parametrize(("cosine", "kept"), [(0.3, True), (0.29, False)])
def test_a_floor_reads_the_cosine_where_nothing_was_reranked(cosine: float, kept: bool) -> None:
    assert bool(select([hit("A", vector=cosine)], 0.3, 0, 1).hits) == kept


def test_a_hit_with_neither_signal_is_not_floored() -> None:
    assert names(select([hit("A")], 0.9, 0, 1).hits) == "A"


def test_floor_zero_keeps_even_negative_cosines() -> None:
    assert names(select([hit("A", vector=-0.9)], 0.0, 0, 1).hits) == "A"


def test_floor_one_keeps_only_pinned_hits() -> None:
    hits = [hit("A", rerank=800.0), hit("B", vector=1.0), hit("C"), hit("D", rerank=-9.0, pinned=True)]
    selection = select(hits, 1.0, 1, 4)
    assert names(selection.hits) == "D"
    assert selection.dropped == Dropped(floor=3)


def test_a_pinned_hit_passes_the_cap() -> None:
    assert names(select(pool("A1 A2 A3 B", pinned="A3"), 0.0, 2, 4).hits) == "A1 A2 A3 B"


def test_a_pinned_hit_that_was_cut_takes_the_last_place() -> None:
    selection = select(pool("A B C D E", pinned="E"), 0.0, 0, 3)
    assert names(selection.hits) == "A B E"
    assert selection.dropped == Dropped(cut=2)


def test_two_pinned_hits_that_were_cut_take_the_last_two_places() -> None:
    assert names(select(pool("A B C D E", pinned="D E"), 0.0, 0, 3).hits) == "A D E"


def test_a_pinned_hit_never_drives_another_out() -> None:
    assert names(select(pool("A B C D", pinned="C D"), 0.0, 0, 3).hits) == "A C D"
    assert names(select(pool("A B C", pinned="A C"), 0.0, 0, 1).hits) == "A"


def test_pinned_hits_that_were_cut_never_take_the_place_of_the_lead() -> None:
    hits = pool("A B C D", pinned="C D")
    assert names(select(hits, 0.0, 0, 1, lead=hits[0].key).hits) == "A"
    assert names(select(hits, 0.0, 0, 2, lead=hits[0].key).hits) == "A C"


def test_a_pinned_hit_in_place_stays_in_place() -> None:
    assert names(select(pool("A B C", pinned="A"), 0.0, 0, 3).hits) == "A B C"


def test_at_most_two_are_pinned() -> None:
    selection = select(pool("A B C D E", pinned="C D E"), 0.0, 0, 3)
    assert names(selection.hits) == "A C D"
    assert [hit.pinned for hit in selection.hits] == [False, True, True]


_HITS = st.lists(
    st.builds(
        hit,
        st.builds("{}{}".format, st.sampled_from("ABC"), st.integers(1, 9)),
        rerank=st.none() | st.floats(-15, 15),
        vector=st.none() | st.floats(-1, 1),
        pinned=st.booleans(),
    ),
    unique_by=lambda hit: hit.key,
    max_size=20,
)


@settings(deadline=None)
@given(_HITS, st.floats(0, 1), st.integers(0, 4), st.integers(1, 8))
def test_what_is_dropped_and_what_is_kept_add_up(hits: list[Hit], floor: float, cap: int, k: int) -> None:
    selection = select(hits, floor, cap, k)
    kept, dropped = selection.hits, selection.dropped
    assert len(hits) == len(kept) + dropped.floor + dropped.cap + dropped.cut
    assert len(kept) <= k
    assert len({hit.key for hit in kept}) == len(kept)
    assert {hit.key for hit in kept} <= {hit.key for hit in hits}


@settings(deadline=None)
@given(_HITS, st.floats(0, 1), st.integers(0, 4), st.integers(MOST_PINNED, 8))
def test_the_best_two_pinned_hits_are_always_there(hits: list[Hit], floor: float, cap: int, k: int) -> None:
    pinned = [hit.key for hit in hits if hit.pinned][:MOST_PINNED]
    kept = select(hits, floor, cap, k).hits
    assert [hit.key for hit in kept if hit.pinned] == pinned


@settings(deadline=None)
@given(_HITS, st.floats(0, 0.99), st.integers(1, 4), st.integers(1, 8))
def test_selecting_is_floor_then_cap_then_cut(hits: list[Hit], floor: float, cap: int, k: int) -> None:
    plain = [hit for hit in hits if not hit.pinned]
    expected: list[Hit] = []
    beyond: list[Hit] = []
    taken: Counter[str] = Counter()
    for each in plain:
        signal = each.scores.vector if each.scores.rerank is None else 1 / (1 + math.exp(-each.scores.rerank))
        if floor > 0 and signal is not None and signal < floor:
            continue
        taken[each.path] += 1
        (expected if taken[each.path] <= cap else beyond).append(each)
    assert names(select(plain, floor, cap, k).hits) == names([*expected, *beyond][:k])


@pytest.mark.parametrize(
    ("signal", "value", "has_hits", "weak", "none", "level"),
    [
        ("rerank", 3.0, True, 1.0, -2.0, "strong"),
        ("rerank", 1.0, True, 1.0, -2.0, "strong"),
        ("rerank", 0.9, True, 1.0, -2.0, "weak"),
        ("rerank", -2.0, True, 1.0, -2.0, "weak"),
        ("rerank", -2.1, True, 1.0, -2.0, "none"),
        ("rerank", -9.0, True, 1.0, None, "weak"),
        ("vector", -9.0, True, None, None, "strong"),
        (None, None, True, None, None, "strong"),
        ("rerank", 9.0, False, 1.0, -2.0, "none"),
        (None, None, False, None, None, "none"),
    ],
)
def test_confidence(
    signal: str | None, value: float | None, has_hits: bool, weak: float | None, none: float | None, level: str
) -> None:
    assert confidence(signal, value, has_hits, weak, none) == level


def test_every_passage_that_is_no_hit_is_listed_with_the_step_that_dropped_it() -> None:
    hits = [*(hit(f"A{n}", rerank=5.0 - n) for n in range(1, 4)), hit("B", rerank=1.0), hit("C", rerank=-9.0)]
    fates = select(hits, 0.01, 2, 2).fates
    assert {key[1][0] + str(key[2]): step for key, step in fates.items()} == {"A3": "cap", "B1": "cut", "C1": "floor"}
