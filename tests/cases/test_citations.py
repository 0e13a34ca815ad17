from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.workspace import Workspace, open_workspace

FACT = "The spare key hangs behind the blue door in the cellar."
FILES = {
    "a.txt": "\n".join(FACT if n == 33 else f"Line {n} tells of the house." for n in range(1, 41)) + "\n",
    "b.txt": "The house was painted.\nIn green.\nIn spring.\n",
    "c.txt": "Another house burned down long ago.\n",
}
QUESTION = "where in the house hangs the spare key?"


@pytest.fixture(scope="module")
def house_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("house"), FILES) as workspace:
        workspace.configure({"chunking": {"size": 128, "overlap": 0}})
        workspace.ingest()
        yield workspace


@pytest.fixture
def house(house_module: Workspace) -> Workspace:
    house_module.stub.forget()
    return house_module


def _ask(ws: Workspace, text: str) -> dict[str, Any]:
    ws.stub.default_answer = text
    return ws.ask(QUESTION)


def _markers(answer: dict[str, Any]) -> list[int]:
    return [_number(citation["marker"]) for citation in answer["citations"]]


def _unknown(answer: dict[str, Any]) -> list[int]:
    return [_number(marker) for marker in answer["unknown_markers"]]


def _number(marker: object) -> int:
    return int(str(marker).strip("[]"))


def _marker_of_fact(ws: Workspace) -> int:
    """Which number the prompt gives to the passage that holds the fact."""
    evidence = _ask(ws, "Nothing to cite.")["evidence"]
    return 1 + next(place for place, hit in enumerate(evidence) if FACT in hit["text"])


def test_a_marker_maps_to_its_passage_and_an_unknown_one_is_flagged(house: Workspace) -> None:
    answer = _ask(house, "Blue [2]. Green [77].")
    (citation,) = answer["citations"]
    second = answer["evidence"][1]
    for key in ("collection", "path", "line_start", "line_end"):
        assert citation[key] == second[key]
    assert (citation["quote"], citation["verified"]) == (None, None)
    assert (_markers(answer), _unknown(answer)) == ([2], [77])
    prompt = house.stub.chats[0].prompt
    places = [prompt.index(hit["text"]) for hit in answer["evidence"]]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "known", "unknown"),
    [
        ("Blue [1][2].", [1, 2], []),
        ("Blue [1, 2].", [1, 2], []),
        ("Blue [1-3].", [1, 2, 3], []),
        ("Blue [1–3].", [1, 2, 3], []),
        ("Blue [2]. And again [2]. Then [1].", [2, 1], []),
        ("Blue [0] and [99].", [], [0, 99]),
        ("No marker at all.", [], []),
        ("A list[1] item and [note] and [x1].", [1], []),
    ],
)
def test_markers_of_every_style_are_read(house: Workspace, text: str, known: list[int], unknown: list[int]) -> None:
    answer = _ask(house, text)
    assert (_markers(answer), _unknown(answer)) == (known, unknown)


def test_a_huge_range_does_not_flood_the_answer(house: Workspace) -> None:
    answer = _ask(house, "Blue [1-999999999].")
    assert len(answer["citations"]) <= len(answer["evidence"])
    assert len(answer["unknown_markers"]) < 10_000


@pytest.mark.parametrize(
    "quotation",
    [
        '"spare key hangs behind the blue door"',
        "“Spare  KEY hangs behind”",
        "„spare key hangs behind“",
        "«spare key\nhangs behind»",
    ],
)
def test_a_quotation_is_verified_and_points_to_its_own_line(house: Workspace, quotation: str) -> None:
    marker = _marker_of_fact(house)
    answer = _ask(house, f"It says {quotation} [{marker}].")
    (citation,) = answer["citations"]
    assert (citation["path"], citation["verified"]) == ("a.txt", True)
    assert (citation["line_start"], citation["line_end"]) == (33, 33)
    assert FACT in house.show("a.txt:33")


def test_a_made_up_quotation_is_marked_everywhere(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    text = f'It says "the key lies under the mat outside" [{marker}].'
    answer = _ask(house, text)
    (citation,) = answer["citations"]
    assert citation["verified"] is False
    assert "under the mat" in citation["quote"]
    shown = house.run("ask", QUESTION).expect(0).stdout.lower()
    assert "not verified" in shown or "unverified" in shown or "not found" in shown
    contributed = shown.split("also read")[0].partition("files that contributed")[2]
    assert "a.txt" not in contributed


def test_two_words_in_quotation_marks_are_no_quotation(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    (citation,) = _ask(house, f'The "spare key" hangs there [{marker}].')["citations"]
    assert (citation["quote"], citation["verified"]) == (None, None)


def test_a_quotation_takes_the_next_marker_of_its_sentence(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    other = 1 if marker != 1 else 2
    text = f'First a claim [{other}]. It "hangs behind the blue door" as told [{marker}].'
    answer = _ask(house, text)
    verified = {_number(citation["marker"]): citation["verified"] for citation in answer["citations"]}
    assert verified == {other: None, marker: True}


def test_a_quotation_from_another_passage_is_not_verified(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    other = 1 if marker != 1 else 2
    (citation,) = _ask(house, f'It "hangs behind the blue door" [{other}].')["citations"]
    assert citation["verified"] is False


def test_a_position_lies_inside_the_named_file(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    (citation,) = _ask(house, f"Behind the door [{marker}].")["citations"]
    assert citation["path"] == "a.txt"
    assert 1 <= citation["line_start"] <= 33 <= citation["line_end"] <= 40
    for hit in house.ask(QUESTION)["evidence"]:
        assert hit["line_end"] <= FILES[hit["path"]].count("\n")


def test_files_that_contributed_are_told_from_those_only_read(house: Workspace) -> None:
    marker = _marker_of_fact(house)
    house.stub.default_answer = f"Behind the door [{marker}] or not [77]."
    shown = house.run("ask", QUESTION).expect(0).stdout
    low = shown.lower()
    contributed, _, read = low.partition("files that contributed")[2].partition("also read")
    assert "a.txt" in contributed
    assert "b.txt" not in contributed
    assert "c.txt" not in contributed
    assert "b.txt" in read or "c.txt" in read
    assert "77" in low, "an unknown marker is flagged"


def test_extractive_answers_need_no_server_and_cite_what_they_quote(house: Workspace) -> None:
    answer = house.ask(QUESTION, "--model", "extractive")
    assert house.stub.chats == []
    assert answer["citations"]
    assert all(citation["verified"] is not False for citation in answer["citations"])
    assert "spare key" in answer["answer"]
