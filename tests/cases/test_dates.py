from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.workspace import Workspace, open_workspace, paths

DAYS = ("2023-12-31", "2024-01-08", "2024-01-10", "2024-01-14", "2024-01-16", "2024-02-05", "2024-03-09")
FILES = {f"{day}.md": f"Walked round the lake and wrote letters, entry{n}." for n, day in enumerate(DAYS)}


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("diary"), FILES) as workspace:
        workspace.configure({"retrieval": {"today": "2024-01-17"}, "workspace": {"timezone": "UTC"}})
        workspace.write("guide.txt", "What did I do, a guide to doing what I did and did not do last week.")
        workspace.ingest()
        yield workspace


def _nominated(answer: dict[str, Any]) -> set[str]:
    return {hit["path"].removesuffix(".md") for hit in answer["hits"] if hit["ranks"]["date"] is not None}


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what did I do in January 2024", {"2024-01-08", "2024-01-10", "2024-01-14", "2024-01-16"}),
        ("what did I write on 10 January 2024", {"2024-01-10"}),
        ("what did I write on January 10, 2024?", {"2024-01-10"}),
        ("letters of 2024-02-05", {"2024-02-05"}),
        ("letters of 10.01.2024", {"2024-01-10"}),
        ("letters of 09/03/2024", {"2024-03-09"}),
        ("what did I do last week", {"2024-01-08", "2024-01-10", "2024-01-14"}),
        ("what did I do yesterday", {"2024-01-16"}),
        ("letters between 2024-01-14 and 2024-02-05", {"2024-01-14", "2024-01-16", "2024-02-05"}),
    ],
)
def test_a_date_in_the_question_nominates_and_never_excludes(diary: Workspace, question: str, days: set[str]) -> None:
    answer = diary.search(question)
    assert _nominated(answer) == days
    assert len(answer["hits"]) == len(FILES) + 1
    assert answer["notes"], "what was read as a date is said"


def test_one_stated_day_comes_first_even_if_another_text_is_nearer(diary: Workspace) -> None:
    question = "What did I do, and what did I not do, on 10 January 2024?"
    assert paths(diary.search(question))[0] == "2024-01-10.md"


def test_the_note_names_the_day_that_was_read(diary: Workspace) -> None:
    assert "2024-01-16" in " ".join(diary.search("what did I do yesterday")["notes"])


def test_a_date_without_a_year_is_ignored_and_said_to_be(diary: Workspace) -> None:
    answer = diary.search("what did I write on January 10")
    assert _nominated(answer) == set()
    assert answer["notes"]


@pytest.mark.parametrize("question", ["letters of 30 February 2024", "letters of 2024-13-45", "letters of 99.99.2024"])
def test_an_impossible_date_nominates_nothing(diary: Workspace, question: str) -> None:
    assert _nominated(diary.search(question)) == set()


def test_hits_carry_their_dates(diary: Workspace) -> None:
    hits = {hit["path"]: hit["date"] for hit in diary.search("letters")["hits"]}
    assert hits["2024-01-10.md"].startswith("2024-01-10")


def test_a_nominated_passage_has_the_cosine_as_its_vector_score(diary: Workspace) -> None:
    answer = diary.search("letters of 2024-02-05", "--set", "retrieval.pool_vector=1")
    (hit,) = [hit for hit in answer["hits"] if hit["path"] == "2024-02-05.md"]
    assert 0 < hit["scores"]["vector"] <= 1


def test_dates_come_from_the_first_source_that_has_one(ws: Workspace) -> None:
    ws.write_all({
        "2024-05-06 named.md": "---\ndate: 2023-01-01\n---\nbody one",
        "front.md": "---\ndate: 2023-02-03\n---\nbody two",
        "content.md": "2022-04-05\n\nbody three",
        "plain.md": "body four",
    })  # fmt: skip
    os.utime(ws.notes / "plain.md", (1_500_000_000, 1_500_000_000))
    ws.ingest()
    dates = {path: (row["date"][:10], row["date_from"]) for path, row in ws.files().items()}
    assert dates["2024-05-06 named.md"] == ("2024-05-06", "name")
    assert dates["front.md"] == ("2023-02-03", "front_matter")
    assert dates["content.md"] == ("2022-04-05", "content")
    assert dates["plain.md"] == ("2017-07-14", "mtime")


def test_file_times_do_not_nominate(ws: Workspace) -> None:
    ws.write_all({"jan.txt": "Walked round the lake", "feb.txt": "Wrote by the lake"})
    os.utime(ws.notes / "jan.txt", (1_705_000_000, 1_705_000_000))
    os.utime(ws.notes / "feb.txt", (1_707_500_000, 1_707_500_000))
    ws.ingest()
    answer = ws.search("what of the lake in January 2024")
    assert _nominated(answer) == set()
    assert paths(ws.search("lake", "--on", "2024-01")) == ["jan.txt"]


def test_the_date_pool_is_bounded(diary: Workspace) -> None:
    answer = diary.search("what did I do in January 2024", "--set", "retrieval.pool_date=2")
    assert len(_nominated(answer)) == 2
