from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.workspace import Workspace, open_workspace, paths

TOPICS = ("boats", "bread", "stars", "trains", "bees", "chess")
FILES = {
    **{f"t{n:02}.txt": f"note about {TOPICS[n % 6]} who is known for item{n} in town" for n in range(30)},
    "name.txt": "long ago Brixtelle kept the mill by the river and sold flour to the whole valley",
    "both.txt": "kettle whistle kettle whistle",
    "half.txt": "kettle on the stove makes a sound in the morning",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("fusion"), FILES) as workspace:
        workspace.ingest()
        yield workspace


def _whole_pool(ws: Workspace, query: str, *flags: str) -> list[dict[str, Any]]:
    answer = ws.search(query, "-k", "100", "--per-source", "0", "--set", "retrieval.pin_rare=false", *flags)
    hits: list[dict[str, Any]] = answer["hits"]
    return hits


def _minmax(values: dict[str, float]) -> dict[str, float]:
    low, high = min(values.values()), max(values.values())
    return {key: 1.0 if high == low else (value - low) / (high - low) for key, value in values.items()}


def _channel(hits: list[dict[str, Any]], name: str) -> dict[str, float]:
    return {hit["path"]: hit["scores"][name] for hit in hits if hit["scores"][name] is not None}


def test_a_chunk_is_listed_once_and_agreement_puts_it_first(corpus: Workspace) -> None:
    hits = corpus.search("kettle whistle")["hits"]
    places = [(hit["path"], hit["char_start"]) for hit in hits]
    assert len(places) == len(set(places))
    assert hits[0]["path"] == "both.txt"
    assert hits[0]["scores"]["vector"] > 0
    assert hits[0]["scores"]["keyword"] > 0


def test_ranks_and_scores_are_null_where_a_channel_did_not_find_the_chunk(corpus: Workspace) -> None:
    for hit in _whole_pool(corpus, "kettle whistle"):
        for channel in ("vector", "keyword"):
            assert (hit["ranks"][channel] is None) == (hit["scores"][channel] is None)
        assert hit["scores"]["rerank"] is None
        assert hit["ranks"]["rerank"] is None
    assert {hit["path"] for hit in _whole_pool(corpus, "kettle", "--mode", "keyword")} == {
        "both.txt",
        "half.txt",
    }


def test_minmax_is_the_weighted_mean_over_the_channels(corpus: Workspace) -> None:
    weights = {"vector": 1.0, "keyword": 3.0}
    hits = _whole_pool(corpus, "kettle sound known", "--set", "retrieval.weight_keyword=3.0")
    scaled = {name: _minmax(_channel(hits, name)) for name in weights}
    for hit in hits:
        expected = sum(weights[name] * scaled[name].get(hit["path"], 0.0) for name in weights) / 4.0
        assert hit["scores"]["fused"] == pytest.approx(expected, abs=1e-6)
    fused = [hit["scores"]["fused"] for hit in hits]
    assert fused == sorted(fused, reverse=True)


def test_reciprocal_ranks_are_summed_with_the_set_constant(corpus: Workspace) -> None:
    flags = ("--set", "retrieval.fusion=rrf", "--set", "retrieval.rrf_k=10")
    hits = _whole_pool(corpus, "kettle sound known", *flags)
    sums = [sum(1 / (10 + hit["ranks"][name]) for name in ("vector", "keyword") if hit["ranks"][name]) for hit in hits]
    assert sums == sorted(sums, reverse=True)
    ratios = [hit["scores"]["fused"] / total for hit, total in zip(hits, sums, strict=True)]
    assert max(ratios) == pytest.approx(min(ratios))


def test_union_without_a_reranker_interleaves_by_rank_vector_first(corpus: Workspace) -> None:
    hits = _whole_pool(corpus, "kettle sound known", "--set", "retrieval.fusion=union")
    lists = {
        name: [hit["path"] for hit in sorted(hits, key=lambda hit: hit["ranks"][name] or 0) if hit["ranks"][name]]
        for name in ("vector", "keyword")
    }
    expected: list[str] = []
    for place in range(len(hits)):
        for name in ("vector", "keyword"):
            if place < len(lists[name]) and lists[name][place] not in expected:
                expected.append(lists[name][place])
    assert [hit["path"] for hit in hits] == expected


@pytest.mark.parametrize("fusion", ["minmax", "rrf", "union"])
def test_the_only_file_with_a_rare_name_stays_on_top(corpus: Workspace, fusion: str) -> None:
    answer = corpus.search("Who is Brixtelle?", "--set", f"retrieval.fusion={fusion}")
    assert "name.txt" in paths(answer)[:3]
    if fusion == "minmax":
        assert paths(answer)[0] == "name.txt"


def test_a_rare_name_takes_the_last_place_when_it_would_be_cut(corpus: Workspace) -> None:
    query = "note about boats who is known for an item in town like Brixtelle"
    flags = ("-k", "2", "--set", "retrieval.weight_keyword=0.0", "--set", "retrieval.pool_vector=40")
    hits = corpus.search(query, *flags)["hits"]
    assert [hit["path"] for hit in hits][-1] == "name.txt"
    assert hits[-1]["pinned"]
    assert len(hits) == 2
    off = corpus.search(query, *flags, "--set", "retrieval.pin_rare=false")
    assert "name.txt" not in paths(off)


def test_identical_passages_take_one_place_and_name_the_others(ws: Workspace) -> None:
    ws.write_all({f"copy{n}.txt": "boiler service every May" for n in range(6)})
    ws.write("warranty.txt", "boiler warranty ends 2031")
    ws.ingest()
    hits = ws.search("boiler", "-k", "5")["hits"]
    assert sorted(hit["path"] for hit in hits) == ["copy0.txt", "warranty.txt"]
    copies = next(hit for hit in hits if hit["path"] == "copy0.txt")
    assert all(f"copy{n}.txt" in json.dumps(copies["also_in"]) for n in range(1, 6))


def test_copies_do_not_crowd_the_pool(ws: Workspace) -> None:
    ws.write_all({f"copy{n:02}.txt": "boiler boiler boiler" for n in range(40)})
    ws.write("warranty.txt", "the boiler warranty ends in the year 2031 as agreed")
    ws.ingest()
    for mode in ("hybrid", "vector", "keyword"):
        assert "warranty.txt" in paths(ws.search("boiler", "--mode", mode))


def _long_and_short(ws: Workspace) -> None:
    ws.configure({"chunking": {"size": 40, "overlap": 0}})
    ws.write("long.txt", "\n\n".join(f"pelican fact{n} " + f"word{n} " * 25 for n in range(12)))
    ws.write_all({f"short{n}.txt": f"one pelican seen on trip{n} " + f"far{n} " * 12 for n in range(3)})
    ws.ingest()


def test_one_source_gives_at_most_its_share_and_free_places_are_filled_with_a_note(ws: Workspace) -> None:
    _long_and_short(ws)
    capped = paths(ws.search("pelican", "--per-source", "2", "-k", "5"))
    assert capped.count("long.txt") == 2
    assert len(capped) == 5
    filled = ws.search("pelican", "--per-source", "2", "-k", "8")
    assert paths(filled)[5:] == ["long.txt"] * 3
    assert filled["notes"]
    assert len(ws.search("pelican", "--per-source", "0", "-k", "50")["hits"]) >= 15


def test_asking_for_more_than_the_pools_hold_deepens_them(ws: Workspace) -> None:
    ws.write_all({f"f{n:02}.txt": f"pelican number{n}" for n in range(45)})
    ws.ingest()
    for mode in ("hybrid", "vector", "keyword"):
        assert len(ws.search("pelican", "-k", "40", "--mode", mode)["hits"]) == 40


def test_a_floor_keeps_an_exact_match_and_means_the_cosine_without_a_reranker(corpus: Workspace) -> None:
    answer = corpus.search("kettle whistle kettle whistle", "--set", "retrieval.floor=0.5")
    assert paths(answer)[0] == "both.txt"
    assert all(hit["scores"]["vector"] is None or hit["scores"]["vector"] >= 0.5 for hit in answer["hits"])
    assert answer["dropped"]["floor"] > 0
    open_floor = corpus.search("kettle whistle kettle whistle", "--set", "retrieval.floor=0.0")
    assert open_floor["dropped"]["floor"] == 0


def test_a_hit_without_a_score_for_the_floor_is_not_floored(corpus: Workspace) -> None:
    answer = corpus.search("kettle", "--mode", "keyword", "--set", "retrieval.floor=0.9")
    assert set(paths(answer)) == {"both.txt", "half.txt"}


def test_the_same_query_gives_the_same_output_but_for_times(corpus: Workspace) -> None:
    first, second = (corpus.search("note about boats known in town") for _ in range(2))
    for answer in (first, second):
        answer.pop("stages")
        answer.pop("index_age_seconds")
    assert first == second


def test_ranks_count_from_one_and_ties_go_by_path(ws: Workspace) -> None:
    ws.write_all({f"{name}.txt": f"pelican {name * 3}" for name in ("d", "b", "a", "c")})
    ws.ingest()
    hits = ws.search("pelican")["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2, 3, 4]
    assert [hit["path"] for hit in hits] == ["a.txt", "b.txt", "c.txt", "d.txt"]


def test_the_terminal_says_which_channel_found_a_hit(corpus: Workspace) -> None:
    shown = corpus.run("search", "kettle whistle").expect(0).stdout
    assert "[vector+bm25]" in shown
    assert "[vector-only]" in shown
    assert "both.txt:1" in shown
    assert "[bm25-only]" in corpus.run("search", "kettle", "--mode", "keyword").expect(0).stdout
