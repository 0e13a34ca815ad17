from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import PROJECT
from tests.support.workspace import Workspace, open_workspace

DATA = Path(os.environ.get("WHEREIN_TEST_DATA", PROJECT.parent / "shared" / "data")) / "awkward"
WITH_READER = {".txt", ".md"}


def _rows() -> list[dict[str, Any]]:
    if not (DATA / "expect.jsonl").is_file():
        return []
    lines = (DATA / "expect.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _readable() -> list[Any]:
    rows = [row for row in _rows() if Path(row["file"]).suffix.lower() in WITH_READER]
    return [pytest.param(row, id=row["file"].encode("ascii", "replace").decode()) for row in rows]


pytestmark = pytest.mark.skipif(not _rows(), reason=f"no awkward files at {DATA}")


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("awkward")) as workspace:
        with tarfile.open(DATA / "files.tar.gz") as archive:
            archive.extractall(workspace.root / "unpacked", filter="data")
        workspace.configure({"collections": {"notes": {"path": "unpacked/files", "include": ["**/*"]}}})
        workspace.run("ingest", timeout=240).expect(0, 3)
        yield workspace


@pytest.fixture(scope="module")
def listed(awkward: Workspace) -> dict[str, dict[str, Any]]:
    return awkward.files()


@pytest.mark.parametrize("row", _readable())
def test_what_must_come_out_comes_out(
    awkward: Workspace, listed: dict[str, dict[str, Any]], row: dict[str, Any]
) -> None:
    name = row["file"]
    state = listed[name]["state"]
    if row["expect"] == "empty":
        assert state == "empty"
        return
    if row["expect"] == "text":
        assert state == "indexed" or (name.endswith("front-matter-only.md") and state == "empty")
    elif row["expect"] == "skip-or-empty":
        assert state in ("skipped", "empty")
    shown = awkward.run("show", name).expect(*((0,) if state == "indexed" else (0, 4))).stdout
    for wanted in row["must_contain"]:
        assert any(choice in shown for choice in wanted.split("|")), wanted
    for unwanted in row["must_not_contain"]:
        assert unwanted not in shown


def test_files_without_a_reader_are_not_indexed_and_do_not_fail(listed: dict[str, dict[str, Any]]) -> None:
    others = [row["file"] for row in _rows() if Path(row["file"]).suffix.lower() not in WITH_READER]
    assert others
    assert not [name for name in others if name in listed and listed[name]["state"] in ("indexed", "failed")]


def test_a_needle_in_one_endless_line_is_found_where_it_stands(awkward: Workspace) -> None:
    hit = awkward.search("NEEDLE-7f3a9c", "--mode", "keyword")["hits"][0]
    assert hit["path"] == "shapes/single-line-300k.txt"
    assert "NEEDLE-7f3a9c" in hit["text"]
    assert (hit["line_start"], hit["line_end"]) == (1, 1)


def test_composed_and_decomposed_letters_are_found_alike(awkward: Workspace) -> None:
    for query in ("café", "cafe\u0301", "cafe"):
        answer = awkward.search(query, "--mode", "keyword", "--path", "encodings/nfd-vs-nfc.txt")
        assert [hit["path"] for hit in answer["hits"]] == ["encodings/nfd-vs-nfc.txt"]


def test_nothing_blank_and_nothing_over_the_window_reached_the_model(awkward: Workspace) -> None:
    texts = awkward.stub.embedded
    assert texts
    assert all(text.strip() for text in texts)
    assert max(len(text.split()) for text in texts) <= 512


def test_a_second_run_finds_everything_unchanged(awkward: Workspace) -> None:
    first = awkward.run("ingest", "--json").expect(0, 3).json[0]
    assert (first["embedded"], first["files"]["added"], first["files"]["changed"]) == (0, 0, 0)
