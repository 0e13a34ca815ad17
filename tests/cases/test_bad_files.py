from __future__ import annotations

import pytest

from tests.cases.conftest import give_away
from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths


def _problem_paths(report: dict[str, list[dict[str, str]]]) -> list[str]:
    assert all(problem["reason"] for problem in report["problems"])
    return sorted(problem["path"] for problem in report["problems"])


def test_an_unreadable_file_and_folder_leave_the_rest_indexed(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    ws.write_all({"good1.txt": "first pelican", "good2.txt": "second pelican"})
    ws.write("locked.txt", "unseen").chmod(0)
    ws.write("closed/inner.txt", "unseen too")
    give_away(ws)
    (ws.notes / "closed").chmod(0)
    report = ws.ingest(code=3)
    assert report["files"]["added"] == 2
    assert report["files"]["failed"] >= 1
    named = " ".join(_problem_paths(report))
    assert "locked.txt" in named
    assert "closed" in named
    assert sorted(paths(ws.search("pelican"))) == ["good1.txt", "good2.txt"]


def test_failed_files_stay_listed_until_they_heal(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    ws.write("good.txt", "first pelican")
    ws.write("locked.txt", "second pelican").chmod(0)
    give_away(ws)
    ws.ingest(code=3)
    status = ws.status()
    assert status["files"]["failed"] == 1
    assert _problem_paths(status) == ["locked.txt"]
    assert ws.files()["locked.txt"]["state"] == "failed"
    assert ws.files()["locked.txt"]["reason"]
    ws.ingest(code=3)
    (ws.notes / "locked.txt").chmod(0o644)
    ws.ingest(code=0)
    assert ws.status()["problems"] == []
    assert ws.files()["locked.txt"]["state"] == "indexed"


def test_a_failed_file_that_is_deleted_leaves_the_list(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    ws.write("good.txt", "first pelican")
    locked = ws.write("locked.txt", "second pelican")
    locked.chmod(0)
    give_away(ws)
    ws.ingest(code=3)
    locked.unlink()
    ws.ingest(code=0)
    assert ws.status()["problems"] == []
    assert sorted(ws.files()) == ["good.txt"]


def test_the_last_good_version_of_a_failing_file_stays_searchable(plain_user_ws: Workspace) -> None:
    ws = plain_user_ws
    ws.write_all({"good.txt": "first pelican", "sub/inner.txt": "second pelican"})
    edited = ws.write("edited.txt", "third pelican")
    give_away(ws)
    ws.ingest()
    edited.write_text("unseen heron", encoding="utf-8")
    edited.chmod(0)
    (ws.notes / "sub").chmod(0)
    report = ws.ingest(code=3)
    assert report["files"]["deleted"] == 0
    found = sorted(paths(ws.search("pelican", "--mode", "keyword")))
    assert found == ["edited.txt", "good.txt", "sub/inner.txt"]
    edited.chmod(0o644)
    (ws.notes / "sub").chmod(0o755)
    ws.ingest(code=0)
    assert paths(ws.search("heron", "--mode", "keyword")) == ["edited.txt"]


def test_binary_junk_with_a_text_name_is_skipped_and_named_every_time(ws: Workspace, stub: Stub) -> None:
    ws.write_all({"bin.txt": bytes(range(256)) * 20, "good.txt": "lonely pelican"})
    for _ in range(2):
        report = ws.ingest(code=3)
        assert _problem_paths(report) == ["bin.txt"]
        assert report["files"]["skipped"] == 1
    assert len(stub.embedded) == 1
    assert paths(ws.search("pelican")) == ["good.txt"]
    assert _problem_paths(ws.status()) == ["bin.txt"]


def test_a_file_that_becomes_binary_is_removed(ws: Workspace) -> None:
    ws.write_all({"a.txt": "lonely pelican", "b.txt": "plain words"})
    ws.ingest()
    ws.write("a.txt", bytes(range(256)) * 20)
    ws.ingest(code=3)
    ws.search("pelican", "--mode", "keyword", code=4)


def test_blank_files_are_empty_and_never_reach_the_model(ws: Workspace, stub: Stub) -> None:
    stub.refuse_blank = True
    blanks: dict[str, str | bytes] = {
        "empty.txt": "",
        "ws.txt": " \n\t\n\n  ",
        "bom.txt": b"\xef\xbb\xbf",
        "nbsp.md": "\u00a0\u2003\n",
    }
    ws.write_all({**blanks, "good.txt": "lonely pelican\n\n\n\n   \n\n\n\nsecond paragraph"})
    report = ws.ingest(code=0)
    assert (report["files"]["empty"], report["files"]["failed"], report["files"]["added"]) == (4, 0, 1)
    assert all(text.strip() for text in stub.embedded)
    rows = ws.files()
    assert {rows[name]["state"] for name in blanks} == {"empty"}
    assert ws.status()["files"]["indexed"] == 1
    assert set(paths(ws.search("anything at all", "--mode", "vector"))) == {"good.txt"}


def test_a_file_that_is_emptied_stops_being_a_hit(ws: Workspace) -> None:
    ws.write_all({"a.txt": "lonely pelican", "b.txt": "plain words"})
    ws.ingest()
    ws.write("a.txt", "")
    ws.ingest(code=0)
    assert "a.txt" not in paths(ws.search("lonely pelican", "--mode", "vector"))
    assert ws.files()["a.txt"]["state"] == "empty"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_letters_of_other_encodings_survive(ws: Workspace, encoding: str) -> None:
    text = "Le café était naïve, le résumé déjà prêt.\nLa façade fut rénovée à l'été."
    ws.write("l1.txt", text.encode(encoding))
    ws.ingest()
    assert ws.show("l1.txt") == text
    hits = ws.search("naïve", "--mode", "keyword")["hits"]
    assert [hit["path"] for hit in hits] == ["l1.txt"]


def test_three_short_latin_words_keep_their_letters_or_are_warned_about(ws: Workspace) -> None:
    ws.write("l1.txt", "café naïve résumé".encode("latin-1"))
    result = ws.run("ingest", "--json").expect(0, 3)
    if "naïve" not in ws.run("show", "l1.txt").stdout:
        assert "l1.txt" in result.stdout + result.stderr


def test_a_file_over_the_limit_is_named_with_the_limit(ws: Workspace) -> None:
    ws.configure({"collections": {"notes": {"max_file_mb": 1}}})
    ws.write("huge.txt", "line of text\n" * 150_000)
    ws.write_all({f"small{n}.txt": f"small pelican {n}" for n in range(3)})
    for _ in range(2):
        report = ws.ingest(code=3)
        (problem,) = report["problems"]
        assert problem["path"] == "huge.txt"
        assert "max_file_mb" in problem["reason"] or "1 MB" in problem["reason"]
    assert len(paths(ws.search("pelican", "--mode", "keyword"))) == 3
    ws.configure({"collections": {"notes": {"max_file_mb": 8}}})
    ws.run("ingest", "--dry-run").expect(0)


def test_sixty_megabytes_beside_small_files_are_over_the_default_limit(ws: Workspace) -> None:
    with (ws.notes / "huge.txt").open("w", encoding="utf-8") as handle:
        for _ in range(60):
            handle.write("some words in a line of a log\n" * 35_000)
    ws.write_all({f"small{n}.txt": f"small pelican {n}" for n in range(3)})
    report = ws.ingest(code=3, timeout=120)
    assert _problem_paths(report) == ["huge.txt"]
    assert len(paths(ws.search("pelican", "--mode", "keyword"))) == 3
