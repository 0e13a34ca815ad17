"""Why a file is no hit: the step that lost it, and a remedy that works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli_workspace import Place
from wherein import api
from wherein.pipelines.query import QueryOptions, retrieval, search
from wherein.pipelines.why import Why, left_out, why
from wherein.workspace import Workspace

SETTINGS = """[collections.notes]
path = "notes"
[retrieval]
pool_vector = 3
pool_keyword = 3
k = 2
pin_rare = false
"""
QUERY = "anvil of the smith"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = tmp_path_factory.mktemp("why")
    (place / "notes").mkdir()
    for number in range(12):
        text = f"The anvil of the smith rang {'louder ' * number}and the {number} horses stood."
        (place / "notes" / f"{number:02}.md").write_text(text, encoding="utf-8")
    (place / "notes" / "beans.md").write_text("Beans and marrows stood high.", encoding="utf-8")
    (place / "notes" / "blank.md").write_text(" \n", encoding="utf-8")
    (place / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    found = Workspace.find(place)
    api.ingest(workspace=found)
    return found


def told(workspace: Workspace, file: str, *overrides: str, **options: object) -> Why:
    chosen = Workspace.find(workspace.folder, overrides)
    with retrieval(chosen, QUERY, QueryOptions(**options)) as (trail, work):  # type: ignore[arg-type]
        return why(trail, work, file)


def test_a_hit_is_shown(workspace: Workspace) -> None:
    first = search(workspace, QUERY).hits[0].path
    assert (told(workspace, first).stage, told(workspace, first).remedy) == ("shown", "")


def test_a_file_in_no_pool_comes_in_with_the_pool_that_is_named(workspace: Workspace) -> None:
    found = told(workspace, "beans.md")
    assert found.stage == "pool"
    setting = next(part for part in found.remedy.split() if part.startswith("retrieval.pool_"))
    depth = int(found.remedy.partition(" to ")[2].split()[0])
    assert "reranking will not help" in found.remedy
    assert told(workspace, "beans.md", f"{setting}={depth}").stage != "pool"
    assert told(workspace, "beans.md", f"{setting}={depth - 1}").stage == "pool"


def test_what_the_cut_left_out_is_shown_with_a_larger_k(workspace: Workspace) -> None:
    with retrieval(workspace, QUERY, QueryOptions(rerank=False)) as (trail, _):
        dropped = left_out(trail)
    assert {entry.stage for entry in dropped} == {"cut"}
    found = told(workspace, dropped[0].path, rerank=False)
    assert (found.stage, found.remedy) == ("cut", "raise -k")
    assert told(workspace, dropped[0].path, rerank=False, k=dropped[0].rank).stage == "shown"


def test_a_floor_is_named(workspace: Workspace) -> None:
    first = search(workspace, QUERY).hits[0].path
    found = told(workspace, first, "retrieval.floor=1")
    assert (found.stage, found.remedy) == ("floor", "lower retrieval.floor")


def test_a_filter_is_named(workspace: Workspace) -> None:
    assert told(workspace, "00.md", path="beans*").stage == "filtered"


@pytest.mark.parametrize(("path", "why_not"), [("nowhere.md", "no collection"), ("blank.md", "empty")])
def test_a_file_without_a_passage_is_not_indexed(workspace: Workspace, path: str, why_not: str) -> None:
    found = told(workspace, path)
    assert (found.stage, why_not in found.told) == ("not indexed", True)


def test_the_command_says_both_and_ends_with_4_unless_it_is_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace.folder)
    here = Place(Path.cwd(), capsys)
    ended = here.run("search", QUERY, "--why", "beans.md")
    assert (ended.code, "in no pool" in ended.out, "What would help: raise" in ended.out) == (4, True, True)
    assert here.run("search", QUERY, "--why", search(workspace, QUERY).hits[0].path).code == 0
    assert here.run("search", QUERY, "--why", "beans.md", "--json").json["stage"] == "pool"


def test_verbose_tells_places_matched_words_and_what_was_left_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace.folder)
    here = Place(Path.cwd(), capsys)
    out = here.run("search", QUERY, "-v").out
    assert "places: " in out
    assert "matched: anvil, smith" in out
    assert "cut    3. " in out
    shown = here.run("search", QUERY, "-v", "--json").json
    assert [entry["rank"] for entry in shown["left_out"]] == list(range(3, 3 + len(shown["left_out"])))
    assert "left_out" not in here.run("search", QUERY, "--json").json
