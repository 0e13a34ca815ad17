"""`--expand`, `--hyde` and `--like`: searching by more than the words that were typed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.faults import Fault, always
from tests.support.workspace import Workspace, open_workspace, paths

FILES = {
    "car.txt": "The automobile would not start in the frost.",
    "cat.txt": "The cat slept on the stove all winter.",
    "tea.txt": "Tea was served at four by the window.",
    "twin.txt": "The automobile was sold to a neighbour.",
}


@pytest.fixture
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("wordings"), FILES) as workspace:
        workspace.ingest()
        yield workspace


def test_a_search_asks_no_language_model_unless_told_to(notes: Workspace) -> None:
    notes.search("motorcar trouble")
    assert notes.stub.chats == []


def test_a_paraphrase_finds_what_the_query_does_not(notes: Workspace) -> None:
    assert paths(notes.search("motorcar", "--mode", "keyword", code=4)) == []
    notes.stub.default_answer = "1. automobile trouble\n2. automobile frost\n"
    found = notes.search("motorcar", "--mode", "keyword", "--expand")
    assert paths(found)[0] == "car.txt"
    assert len(notes.stub.chats) == 1
    assert "searched also by: automobile trouble" in found["notes"]


def test_the_query_s_own_hits_are_not_lost_for_its_paraphrases(notes: Workspace) -> None:
    notes.stub.default_answer = "tea by the window\nfour o'clock tea"
    found = notes.search("cat", "--mode", "keyword", "--expand")
    assert {"cat.txt", "tea.txt"} <= set(paths(found))
    (cat,) = [hit for hit in found["hits"] if hit["path"] == "cat.txt"]
    assert cat["ranks"]["keyword"] == 1


def test_a_passage_that_might_answer_is_searched_by_meaning_only(notes: Workspace) -> None:
    notes.stub.default_answer = "The automobile would not start in the frost."
    assert paths(notes.search("motorcar", "--mode", "keyword", "--hyde", code=4)) == []
    found = notes.search("motorcar", "--mode", "vector", "--hyde", "-k", "1")
    assert paths(found) == ["car.txt"]


@pytest.mark.parametrize("flag", ["--expand", "--hyde"])
def test_a_model_that_fails_leaves_the_search_as_it_is_and_says_so(notes: Workspace, flag: str) -> None:
    plain = paths(notes.search("the cat"))
    notes.stub.rule("chat", always(Fault(status=500)))
    found = notes.search("the cat", flag, code=3)
    assert paths(found) == plain
    assert any("was not expanded" in note for note in found["notes"])


def test_a_model_that_only_quotes_cannot_write_paraphrases(notes: Workspace) -> None:
    ended = notes.run("search", "cat", "--expand", "--set", "synthesis.model=extractive").expect(2)
    assert "needs a language model" in ended.said


def test_asking_with_paraphrases_completes_two_requests_and_one_answer(notes: Workspace) -> None:
    notes.stub.default_answer = "The cat slept [1]."
    answer = notes.ask("where did the cat sleep?", "--expand")
    assert len(notes.stub.chats) == 2
    assert any("searched also by" in note for note in answer["notes"])


def test_what_resembles_a_file_leaves_the_file_itself_out(notes: Workspace) -> None:
    found = notes.run("search", "--like", "car.txt", "--mode", "keyword", "--json").expect(0).json
    assert paths(found)[0] == "twin.txt"
    assert "car.txt" not in paths(found)
    by_line = notes.run("search", "--like", "car.txt:1", "--mode", "keyword", "--json").expect(0).json
    assert paths(by_line) == paths(found)


def test_an_example_must_be_indexed_and_stands_alone(notes: Workspace) -> None:
    notes.run("search", "--like", "nowhere.txt").expect(4)
    notes.run("search", "cat", "--like", "car.txt").expect(2)
