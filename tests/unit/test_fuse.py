"""Fusion: one list of many, and the reranker's voice in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import WhereinError
from store.records import PassageKey, Ranked
from tasks.fuse import METHODS, blend, fuse, minmax, ranked

EVEN = {"vector": 1.0, "keyword": 1.0}


def key(name: str) -> PassageKey:
    return ("notes", f"{name}.md", 0)


def channel(**scores: float) -> list[Ranked]:
    return ranked({key(name): score for name, score in scores.items()})


def order(entries: Sequence[Ranked]) -> str:
    return "".join(entry.key[1].removesuffix(".md") for entry in entries)


def scores(entries: Sequence[Ranked]) -> dict[str, float]:
    return {entry.key[1].removesuffix(".md"): round(entry.score, 6) for entry in entries}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("channels", [{}, {"vector": []}, {"vector": [], "keyword": [], "date": []}])
def test_nothing_found_is_nothing_fused(method: str, channels: dict[str, list[Ranked]]) -> None:
    assert fuse(channels, method, EVEN, 60) == []


def test_minmax_is_the_mean_over_the_channels_run() -> None:
    channels = {"vector": channel(a=0.9, b=0.7, c=0.5), "keyword": channel(b=8.0, d=2.0)}
    assert scores(fuse(channels, "minmax", EVEN, 60)) == {"a": 0.5, "b": 0.75, "c": 0.0, "d": 0.0}


def test_minmax_weighs_its_channels() -> None:
    channels = {"vector": channel(a=0.9, b=0.5), "keyword": channel(b=8.0, a=2.0)}
    weighed = fuse(channels, "minmax", {"vector": 3.0, "keyword": 1.0}, 60)
    assert scores(weighed) == {"a": 0.75, "b": 0.25}


def test_an_empty_channel_that_was_run_still_counts() -> None:
    assert scores(fuse({"vector": channel(a=0.9), "keyword": []}, "minmax", EVEN, 60)) == {"a": 0.5}
    assert scores(fuse({"vector": channel(a=0.9)}, "minmax", EVEN, 60)) == {"a": 1.0}


def test_equal_scores_map_to_one() -> None:
    assert minmax({key("a"): 0.0, key("b"): 0.0}) == {key("a"): 1.0, key("b"): 1.0}
    assert minmax({key("a"): -3.0}) == {key("a"): 1.0}
    assert minmax({}) == {}


def test_weights_of_nothing_leave_the_order_of_keys() -> None:
    channels = {"vector": channel(b=0.9, a=0.1)}
    assert order(fuse(channels, "minmax", {"vector": 0.0}, 60)) == "ab"


def test_rrf_sums_reciprocal_ranks() -> None:
    channels = {"vector": channel(a=0.9, b=0.7), "keyword": channel(b=8.0)}
    fused = fuse(channels, "rrf", {"vector": 1.0, "keyword": 2.0}, 60)
    assert scores(fused) == {"b": round(1 / 62 + 2 / 61, 6), "a": round(1 / 61, 6)}


def test_union_interleaves_by_rank_vector_first() -> None:
    channels = {"date": channel(e=0.1), "keyword": channel(c=9.0, a=8.0, d=7.0), "vector": channel(a=0.9, b=0.8)}
    fused = fuse(channels, "union", EVEN, 60)
    assert order(fused) == "acebd"
    assert [entry.rank for entry in fused] == [1, 2, 3, 4, 5]
    assert all(one.score > other.score for one, other in pairwise(fused))


@pytest.mark.parametrize("method", ["minmax", "rrf"])
def test_ties_go_by_key(method: str) -> None:
    fused = fuse({"vector": channel(b=0.9), "keyword": channel(a=5.0)}, method, EVEN, 60)
    assert order(fused) == "ab"


@pytest.mark.parametrize("method", ["minmax", "rrf"])
def test_agreement_raises_a_passage(method: str) -> None:
    channels = {"vector": channel(a=0.9, b=0.89, z=0.1), "keyword": channel(c=9.0, b=8.9, z=0.1)}
    assert order(fuse(channels, method, EVEN, 60))[0] == "b"


def test_a_nominated_passage_scores_by_its_cosine_within_the_vector_list() -> None:
    vector = channel(a=0.9, b=0.5)
    below = fuse({"vector": vector, "date": channel(d=0.3)}, "minmax", EVEN, 60)
    assert scores(below) == {"a": 1.0, "b": 0.0, "d": 0.0}
    within = fuse({"vector": vector, "date": channel(d=0.7)}, "minmax", EVEN, 60)
    assert scores(within) == {"a": 1.0, "d": 0.5, "b": 0.0}
    assert scores(fuse({"vector": vector, "date": channel(d=0.3)}, "rrf", EVEN, 60))["d"] == round(1 / 63, 6)


def test_nominating_a_passage_that_was_found_changes_nothing() -> None:
    channels = {"vector": channel(a=0.9, b=0.5), "keyword": channel(b=3.0, c=1.0)}
    for method in ("minmax", "rrf"):
        assert fuse({**channels, "date": channel(b=0.5)}, method, EVEN, 60) == fuse(channels, method, EVEN, 60)


def test_nominated_passages_alone_are_ordered_by_cosine() -> None:
    assert order(fuse({"vector": [], "date": channel(a=0.1, b=0.4)}, "minmax", EVEN, 60)) == "ba"


def test_an_unknown_method_is_a_usage_error() -> None:
    with pytest.raises(WhereinError) as raised:
        fuse({}, "sum", EVEN, 60)
    assert raised.value.code == 2
    assert "'sum'" in raised.value.message


_NAMES = st.text("abcdefgh", min_size=1, max_size=1)
_LIST = st.dictionaries(_NAMES, st.floats(-1e6, 1e6)).map(lambda found: channel(**found))
_CHANNELS = st.fixed_dictionaries({}, optional={"vector": _LIST, "keyword": _LIST, "date": _LIST})


@settings(deadline=None)
@given(_CHANNELS, st.sampled_from(METHODS))
def test_fusing_lists_each_passage_once_whatever_the_order_of_channels(
    channels: dict[str, list[Ranked]], method: str
) -> None:
    fused = fuse(channels, method, EVEN, 60)
    assert fused == fuse(dict(reversed(channels.items())), method, EVEN, 60)
    assert {entry.key for entry in fused} == {entry.key for found in channels.values() for entry in found}
    assert [entry.rank for entry in fused] == list(range(1, len(fused) + 1))
    assert fused == sorted(fused, key=lambda entry: (-entry.score, entry.key))


@settings(deadline=None)
@given(_CHANNELS)
def test_minmax_stays_between_zero_and_one(channels: dict[str, list[Ranked]]) -> None:
    assert all(0.0 <= entry.score <= 1.0 for entry in fuse(channels, "minmax", EVEN, 60))


def test_blending_is_the_weighed_mean_of_min_max_scores() -> None:
    fused = channel(a=1.0, b=0.5, c=0.0)
    logits = {key("a"): -4.0, key("b"): 4.0, key("c"): 0.0}
    assert scores(blend(fused, logits, 0.25)) == {"a": 0.75, "b": 0.625, "c": 0.125}


def test_weight_one_is_the_rerankers_order_and_zero_none_of_it() -> None:
    fused = channel(a=1.0, b=0.5, c=0.0)
    logits = {key("a"): -4.0, key("b"): 4.0, key("c"): 0.0}
    assert order(blend(fused, logits, 1.0)) == "bca"
    assert order(blend(fused, logits, 0.0)) == "abc"


def test_without_logits_the_fused_list_stays() -> None:
    fused = channel(a=1.0, b=0.5)
    assert blend(fused, {}, 0.5) == fused
    assert blend([], {}, 0.5) == []


def test_equal_logits_leave_the_fused_order() -> None:
    fused = channel(b=1.0, a=0.5)
    assert order(blend(fused, {key("a"): 2.0, key("b"): 2.0}, 0.5)) == "ba"


def test_a_passage_that_was_not_reranked_is_a_fault() -> None:
    with pytest.raises(KeyError):
        blend(channel(a=1.0, b=0.5), {key("a"): 2.0}, 0.5)


@settings(deadline=None)
@given(st.dictionaries(_NAMES, st.integers(-2000, 2000).map(lambda n: n / 100), min_size=1))
def test_the_rerankers_order_alone_is_by_logit_then_key(logits: Mapping[str, float]) -> None:
    fused = channel(**{name: -logit for name, logit in logits.items()})
    blended = blend(fused, {key(name): logit for name, logit in logits.items()}, 1.0)
    assert order(blended) == "".join(sorted(logits, key=lambda name: (-logits[name], name)))
