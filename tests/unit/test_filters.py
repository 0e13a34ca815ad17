"""Filters and channels over a small index, in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.pipelines.query import QueryOptions, search

FILES = {
    "2021-03-04 walk.txt": "ale and bee on the hill",
    "2021-03-05 walk.txt": "ale and cod by the sea",
    "sub/2022-01-01.txt": "ale and bee once more",
    "undated.txt": "ale without a day",
    "a twin.txt": "twins hold the same ale",
    "b twin.txt": "twins hold the same ale",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    use(monkeypatch, HashedWords())
    made = Folder(tmp_path)
    for path, text in FILES.items():
        made.write(path, text.encode())
    made.ingest()
    return made


def paths(folder: Folder, query: str, **options: Any) -> list[str]:
    return sorted(hit.path for hit in search(folder.workspace, query, QueryOptions(k=20, **options)).hits)


def test_a_glob_and_days_leave_out_everything_else_in_every_mode(folder: Folder) -> None:
    for mode in ("vector", "keyword", "hybrid"):
        assert paths(folder, "ale", mode=mode, path="sub/*") == ["sub/2022-01-01.txt"]
        assert paths(folder, "ale", mode=mode, on="2021-03-05") == ["2021-03-05 walk.txt"]
        assert paths(folder, "ale", mode=mode, since="2021-03-05", until="2022") == [
            "2021-03-05 walk.txt",
            "sub/2022-01-01.txt",
        ]


def test_a_quoted_phrase_must_occur_word_by_word(folder: Folder) -> None:
    assert paths(folder, '"ale and bee"', mode="vector") == ["2021-03-04 walk.txt", "sub/2022-01-01.txt"]
    assert paths(folder, '"bee ale"', mode="vector") == []


def test_a_month_in_the_question_nominates_the_files_of_its_days(folder: Folder) -> None:
    found = search(folder.workspace, "what happened in March 2021?", QueryOptions(mode="hybrid", k=20))
    nominated = sorted(hit.path for hit in found.hits if hit.ranks.date is not None)
    assert nominated == ["2021-03-04 walk.txt", "2021-03-05 walk.txt"]


def test_the_places_of_equal_text_are_named_beside_the_first(folder: Folder) -> None:
    found = search(folder.workspace, "twins", QueryOptions(mode="keyword"))
    assert [(hit.path, [place.path for place in hit.also_in]) for hit in found.hits] == [("a twin.txt", ["b twin.txt"])]


def test_a_place_that_a_filter_leaves_out_is_not_named(folder: Folder) -> None:
    found = search(folder.workspace, "twins", QueryOptions(mode="keyword", path="b*"))
    assert [(hit.path, hit.also_in) for hit in found.hits] == [("b twin.txt", ())]


def test_a_name_in_few_passages_pins_them_and_one_in_many_does_not(folder: Folder) -> None:
    for number in range(6):
        folder.write(f"more{number}.txt", f"Pelican number {number} and ale".encode())
    folder.write("rare.txt", b"Quillon stands alone beside the ale")
    folder.ingest()
    found = search(folder.workspace, "where are Quillon and Pelican", QueryOptions(mode="keyword", k=20))
    assert [hit.path for hit in found.hits if hit.pinned] == ["rare.txt"]
