from __future__ import annotations

import shutil

import pytest

from tests.cases.conftest import give_away
from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths


def _files(count: int) -> dict[str, str]:
    return {f"note{n:02}.txt": f"note number {n} about subject{n}" for n in range(count)}


def test_a_missing_root_stops_the_run_and_keeps_the_index(ws: Workspace, stub: Stub) -> None:
    ws.write_all(_files(5))
    ws.ingest()
    stub.forget()
    ws.notes.rename(ws.root / "away")
    result = ws.run("ingest").expect(1)
    assert str(ws.notes) in result.stdout + result.stderr
    assert ws.run("ingest", "--json").expect(1).json["error"]["message"]
    assert paths(ws.search("a note about subject3"))[0] == "note03.txt"
    (ws.root / "away").rename(ws.notes)
    assert ws.ingest()["files"]["unchanged"] == 5
    assert len(stub.requests("embed")) == 1, "only the question was embedded"


def test_a_root_that_is_a_file_stops_the_run_and_keeps_the_index(ws: Workspace) -> None:
    ws.write_all(_files(3))
    ws.ingest()
    shutil.rmtree(ws.notes)
    ws.notes.write_text("not a folder", encoding="utf-8")
    ws.run("ingest").expect(1)
    assert len(paths(ws.search("subject1"))) == 3


def test_a_root_that_cannot_be_listed_stops_the_run(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    ws.write_all(_files(3))
    give_away(ws)
    ws.ingest()
    ws.notes.chmod(0)
    ws.run("ingest").expect(1)
    assert len(paths(ws.search("subject1"))) == 3


@pytest.mark.parametrize("count", [1, 5])
def test_losing_the_last_files_needs_a_word_of_permission(ws: Workspace, count: int) -> None:
    ws.write_all(_files(count))
    ws.ingest()
    shutil.rmtree(ws.notes)
    ws.notes.mkdir()
    assert "--allow-deletes" in ws.run("ingest").expect(1).said
    assert len(paths(ws.search("subject0"))) == count
    report = ws.ingest("--allow-deletes")
    assert (report["files"]["deleted"], report["chunks"]["total"]) == (count, 0)
    ws.search("subject0", code=4)


def test_losing_over_half_of_twenty_files_needs_a_word_of_permission(ws: Workspace) -> None:
    ws.write_all(_files(20))
    ws.ingest()
    for n in range(11):
        (ws.notes / f"note{n:02}.txt").unlink()
    assert "--allow-deletes" in ws.run("ingest").expect(1).said
    assert ws.status()["files"]["indexed"] == 20
    assert ws.ingest("--allow-deletes")["files"]["deleted"] == 11


def test_losing_half_or_losing_much_of_a_few_is_ordinary(ws: Workspace) -> None:
    ws.write_all(_files(20))
    ws.ingest()
    for n in range(10):
        (ws.notes / f"note{n:02}.txt").unlink()
    assert ws.ingest()["files"]["deleted"] == 10
    for n in range(10, 19):
        (ws.notes / f"note{n:02}.txt").unlink()
    assert ws.ingest()["files"]["deleted"] == 9


def test_renamed_and_excluded_files_are_not_gone(ws: Workspace) -> None:
    ws.write_all({f"old/{name}": text for name, text in _files(22).items()})
    ws.ingest()
    (ws.notes / "old").rename(ws.notes / "new")
    assert ws.ingest()["files"]["renamed"] == 22
    ws.configure({"collections": {"notes": {"exclude": ["new/note1*.txt", "new/note0*.txt"]}}})
    assert ws.ingest()["chunks"]["total"] == 2


def test_an_empty_root_from_the_start_is_a_valid_state(ws: Workspace) -> None:
    report = ws.ingest()
    assert report["chunks"]["total"] == 0
    ws.search("anything", code=4)
    assert ws.status()["files"]["indexed"] == 0
