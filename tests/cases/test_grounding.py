from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, open_workspace, paths

FILES = {
    "tomato.txt": "Tomatoes want sun and a stake by June.",
    "compost.txt": "Turn the compost every second week.",
    "roses.txt": "Prune the roses before the frost ends.",
}


@pytest.fixture
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("garden"), FILES) as workspace:
        workspace.ingest()
        yield workspace


@pytest.mark.parametrize(
    "flags",
    [("--mode", "keyword"), ("--path", "nowhere/*"), ("--on", "1999"), ("--set", "retrieval.floor=1")],
)  # fmt: skip
def test_without_evidence_no_model_is_asked(garden: Workspace, flags: tuple[str, str]) -> None:
    answer = garden.ask("which zzyzx capital qqfrance?", *flags, code=4)
    assert garden.stub.chats == []
    assert (answer["refused"], answer["refused_by"], answer["confidence"]) == (True, "evidence", "none")
    assert (answer["citations"], answer["unknown_markers"]) == ([], [])


@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--mode", "keyword"), ("searched: notes, by words alone", "--mode hybrid")),
        (("--path", "nowhere/*"), ("--path nowhere/*", "leaving out the filter")),
        (("--set", "retrieval.floor=1"), ("a lower retrieval.floor (3 passages are below 1)",)),
    ],
)
def test_a_miss_says_what_was_searched_and_what_to_try(
    garden: Workspace, command: str, flags: tuple[str, str], told: tuple[str, ...]
) -> None:
    result = garden.run(command, "which zzyzx capital?", *flags).expect(4)
    assert "not in your files" in result.said or (command == "search" and "no passage found" in result.said)
    assert "empty response" not in result.said
    for part in (*told, "try other words"):
        assert part in result.said


@pytest.mark.parametrize(
    "refusal",
    [
        "NOT IN YOUR FILES",
        " not in your files.\n",
        "**NOT IN YOUR FILES**",
        "“Not In Your Files.”",
        "NOT  IN YOUR\nFILES",
    ],
)
def test_a_refusal_by_the_model_is_passed_on_without_sources(garden: Workspace, refusal: str) -> None:
    garden.stub.default_answer = refusal
    answer = garden.ask("what is the capital of France?", code=4)
    assert len(garden.stub.chats) == 1
    assert (answer["refused"], answer["refused_by"], answer["citations"]) == (True, "model", [])


def test_a_refusal_shows_no_contributing_files(garden: Workspace) -> None:
    garden.stub.default_answer = "NOT IN YOUR FILES"
    assert "files that contributed" not in garden.run("ask", "capital of France?").expect(4).said


@pytest.mark.parametrize("text", ["The colour is NOT IN YOUR FILES but the stake is [1].", "Tomatoes want sun [1]."])
def test_an_answer_that_says_more_is_no_refusal(garden: Workspace, text: str) -> None:
    garden.stub.default_answer = text
    answer = garden.ask("what do tomatoes want?")
    assert (answer["refused"], answer["refused_by"], answer["answer"]) == (False, None, text)


def test_the_prompt_allows_the_refusal_and_holds_question_and_passages(garden: Workspace) -> None:
    question = "what do tomatoes want?"
    answer = garden.ask(question)
    prompt = garden.stub.chats[0].prompt
    assert "NOT IN YOUR FILES" in prompt
    assert question in prompt
    assert all(text in prompt for text in FILES.values())
    assert paths({"hits": answer["evidence"]})[0] == "tomato.txt"
    assert str(garden.root) not in prompt


def test_the_user_may_insist(garden: Workspace) -> None:
    garden.run("ask", "which zzyzx capital?", "--mode", "keyword", "--anyway", "--json").expect(0, 4)
    assert len(garden.stub.chats) == 1


def test_a_model_that_says_nothing_is_not_a_success(garden: Workspace) -> None:
    garden.stub.default_answer = ""
    result = garden.run("ask", "what do tomatoes want?", "--json").expect(1, 3, 4)
    assert "empty response" not in result.said
    assert result.json["citations"] == []


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_a_blank_question_is_wrong_usage(garden: Workspace, stub: Stub, question: str) -> None:
    garden.run("ask", question).expect(2)
    garden.run("search", question).expect(2)
    assert garden.stub.chats == []


def test_search_reports_confidence_like_ask(garden: Workspace) -> None:
    found = garden.search("tomatoes sun")
    assert found["confidence"] in ("strong", "weak")
    assert found["signal"]["value"] == pytest.approx(max(hit["scores"]["vector"] for hit in found["hits"]))
    only_keyword = garden.search("tomatoes sun", "--mode", "keyword")
    assert (only_keyword["confidence"], only_keyword["signal"]["value"]) == ("strong", None)


def test_an_index_without_any_text_says_so(ws: Workspace) -> None:
    ws.write("blank.txt", " \n")
    ws.ingest()
    answer = ws.search("pelican", code=4)
    assert answer["hits"] == []
    assert any("no text is indexed" in note for note in answer["notes"])
