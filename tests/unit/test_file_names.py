"""Files called by their names in a query."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.file_names import names, parts, spans
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.pipelines.ingest import ingest
from wherein.pipelines.query import QueryOptions, search
from wherein.workspace import Workspace

CALLED = [
    ("pep-0484", "notes/pep-0484.txt"),
    ("PEP 484", "pep-0484.txt"),
    ("what does PEP484 propose?", "pep-0484.txt"),
    ("Meeting 12", "meeting_12.md"),
    ("ＰＥＰ 484", "pep-0484.txt"),
    ("agenda of straße-7", "STRASSE 7.md"),
    ("who wrote (pep-0484.txt)?", "pep-0484.txt"),
    ("what did we plant in May 2020?", "may-2020.md"),
    ("the plan for week 12 of 2021", "week-12.md"),
    ("day 2", "day-2.md"),
    ("norway/day-2.md", "norway/day-2.md"),
    ("norway/day-2.md:1-13", "norway/day-2.md"),
    ("who spoke at meeting 10:30?", "meeting-10-30.md"),
    ("what stands in ./norway/day-2?", "norway/day-2.md"),
]
NOT_CALLED = [
    ("", "pep-0484.txt"),
    ("484", "pep-0484.txt"),
    ("pep 48", "pep-0484.txt"),
    ("pep 4840", "pep-0484.txt"),
    ("step 484", "pep-0484.txt"),
    ("the boat", "boat.md"),
    ("2021-09-25", "2021-09-25.txt"),
    ("pep 484", "pep-0484-notes.txt"),
    ("v2.0.2", "v2.txt"),
    ("pep-484-notes", "pep-0484.txt"),
    ("how was the trip 2 days later?", "trip-2.md"),
    ("our trip 2 years ago", "trip-2.md"),
    ("norway/day-2.md", "spain/day-2.md"),
    ("norway/day-2.md", "day-2.md"),
    ("2021/09/25", "2021/09/25.txt"),
    ("the walk on the 5th of May 2020", "may-2020.md"),
    ("the trip 5 May 2020", "trip-5.md"),
]


@pytest.mark.parametrize(("query", "path"), CALLED)
def test_a_query_that_holds_the_whole_name_of_a_file_calls_it(query: str, path: str) -> None:
    assert not spans(query).isdisjoint(names(path))


@pytest.mark.parametrize(("query", "path"), NOT_CALLED)
def test_part_of_a_name_a_word_alone_and_a_date_call_no_file(query: str, path: str) -> None:
    assert spans(query).isdisjoint(names(path))


@given(st.text(max_size=40))
def test_zeros_and_what_stands_between_parts_do_not_count(text: str) -> None:
    again = parts(" ".join(parts(text)))
    assert again == parts(text)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    use(monkeypatch, HashedWords())
    folder = Folder(tmp_path)
    texts = {"ale-7": b"dew elm", "bee": b"ale 7 bee ale 7", "cod": b"ale-7 cod", "fir-02": b"gum", "fir-2": b"gum hop"}
    for name, text in texts.items():
        folder.write(f"{name}.txt", text)
    folder.ingest()
    return folder


@pytest.mark.parametrize("fusion", ["minmax", "rrf", "union"])
@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_the_one_file_that_is_called_comes_first_and_the_notes_say_so(notes: Folder, mode: str, fusion: str) -> None:
    workspace = Workspace.find(notes.place, [f"retrieval.fusion={fusion}"])
    found = search(workspace, "what about ale 7", QueryOptions(mode=mode))
    assert found.hits[0].path == "ale-7.txt"
    assert found.hits[0].ranks.name == 1
    assert found.hits[0].scores.vector is not None
    assert "the query names ale-7.txt" in found.notes


def test_among_several_that_are_called_none_is_put_first(notes: Folder) -> None:
    found = search(notes.workspace, "fir 2", QueryOptions(mode="hybrid"))
    assert {hit.path for hit in found.hits if hit.ranks.name} == {"fir-02.txt", "fir-2.txt"}
    assert "the query names fir-02.txt, fir-2.txt" in found.notes


def test_by_words_alone_a_file_that_is_called_comes_first_though_it_holds_none_of_them(notes: Folder) -> None:
    found = search(notes.workspace, "ale-7")
    assert found.mode == "keyword"
    assert sorted(hit.path for hit in found.hits) == ["ale-7.txt", "bee.txt", "cod.txt"]
    assert (found.hits[0].path, found.hits[0].scores.keyword) == ("ale-7.txt", None)


def test_filters_and_the_setting_rule(notes: Folder) -> None:
    other = search(notes.workspace, "ale 7", QueryOptions(mode="hybrid", path="b*"))
    assert [hit.path for hit in other.hits] == ["bee.txt"]
    off = search(Workspace.find(notes.place, ["retrieval.pool_name=0"]), "ale 7", QueryOptions(mode="hybrid"))
    assert all(hit.ranks.name is None for hit in off.hits)
    assert not any("names" in note for note in off.notes)


def test_a_text_that_several_files_hold_is_one_hit_whichever_of_them_is_called_or_dated(notes: Folder) -> None:
    for name in ("a.txt", "copy-2.txt", "2020-05-05.txt"):
        notes.write(name, b"hop ivy oak")
    notes.ingest()
    for query in ("copy 2 ivy", "ivy on 5 May 2020"):
        found = search(notes.workspace, query, QueryOptions(mode="hybrid"))
        assert found.hits[0].path == "2020-05-05.txt"
        assert sorted(place.path for place in found.hits[0].also_in) == ["a.txt", "copy-2.txt"]
        assert len({hit.text for hit in found.hits}) == len(found.hits)


def test_a_text_of_another_collection_comes_first_where_its_file_is_called_or_dated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, HashedWords())
    texts = {"a/bee": "bee cod", "a/elm": "hop ivy", "b/fir-2": "hop ivy", "b/2020-05-05": "hop ivy"}
    for name, text in texts.items():
        place = tmp_path / f"{name}.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
    (tmp_path / "wherein.toml").write_text('[collections.a]\npath = "a"\n[collections.b]\npath = "b"\n', "utf-8")
    workspace = Workspace.find(tmp_path)
    for name in ("a", "b"):
        ingest(workspace, name)
    for query in ("bee cod fir 2", "bee cod on 5 May 2020"):
        found = search(workspace, query, QueryOptions(mode="hybrid"))
        assert [(hit.collection, hit.path) for hit in found.hits] == [("a", "elm.txt"), ("a", "bee.txt")]


def test_a_file_that_a_filter_leaves_out_is_not_called(notes: Folder) -> None:
    found = search(notes.workspace, "cod fir 2", QueryOptions(mode="hybrid", path="*-2.txt"))
    assert found.hits[0].path == "fir-2.txt"
    assert "the query names fir-2.txt" in found.notes
