from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths, tree_digest

MODES = ("hybrid", "vector", "keyword")
FIVE = {f"note{n}.txt": f"note number {n} about subject{n}" for n in range(5)}


def _found(ws: Workspace, word: str, mode: str) -> list[str]:
    result = ws.run("search", word, "--mode", mode, "--json").expect(0, 4)
    return paths(result.json)


def _set_mtime(path: Path, mtime_ns: int) -> None:
    os.utime(path, ns=(mtime_ns, mtime_ns))


def test_a_deleted_file_is_gone_from_every_half(ws: Workspace) -> None:
    ws.write_all({"a.txt": "the zorblax password is plum", "b.txt": "garden notes", "c.txt": "shed notes"})
    ws.ingest()
    assert _found(ws, "zorblax", "keyword") == ["a.txt"]
    (ws.notes / "a.txt").unlink()
    assert ws.ingest()["files"]["deleted"] == 1
    for mode in MODES:
        assert "a.txt" not in _found(ws, "zorblax", mode)
    assert sorted(ws.files()) == ["b.txt", "c.txt"]
    assert ws.status()["files"]["indexed"] == 2
    ws.run("show", "a.txt").expect(4)


def test_a_renamed_file_is_found_once_under_its_new_path(ws: Workspace, stub: Stub) -> None:
    old = ws.write("old.txt", "kestrel budget 4100")
    ws.write("other.txt", "garden notes")
    ws.ingest()
    stub.forget()
    (ws.notes / "sub").mkdir()
    old.rename(ws.notes / "sub" / "new.txt")
    report = ws.ingest()
    assert (report["files"]["renamed"], report["files"]["deleted"], report["files"]["added"]) == (1, 0, 0)
    assert (report["embedded"], stub.embedded) == (0, [])
    assert _found(ws, "kestrel", "keyword") == ["sub/new.txt"]
    assert _found(ws, "kestrel", "vector").count("sub/new.txt") == 1
    assert sorted(ws.files()) == ["other.txt", "sub/new.txt"]


def test_a_renamed_folder_moves_all_its_files_without_embedding(ws: Workspace, stub: Stub) -> None:
    ws.write_all({f"old/{name}": text for name, text in FIVE.items()})
    ws.ingest()
    stub.forget()
    (ws.notes / "old").rename(ws.notes / "new")
    report = ws.ingest()
    assert (report["files"]["renamed"], report["embedded"], stub.embedded) == (5, 0, [])
    assert sorted(ws.files()) == [f"new/note{n}.txt" for n in range(5)]


def test_an_edit_replaces_every_chunk_of_the_file(ws: Workspace) -> None:
    ws.write("a.txt", "the gate code is 1111")
    first = ws.ingest()
    ws.write("a.txt", "the gate code is 2222 now")
    second = ws.ingest()
    assert second["files"]["changed"] == 1
    assert second["chunks"] == {"added": 1, "removed": 1, "total": first["chunks"]["total"]}
    for mode in MODES:
        texts = [hit["text"] for hit in ws.search("gate code", "--mode", mode)["hits"]]
        assert texts == ["the gate code is 2222 now"]


def test_a_second_run_over_the_same_files_changes_nothing(ws: Workspace, stub: Stub) -> None:
    ws.write_all(FIVE)
    first = ws.ingest()
    stub.forget()
    second = ws.ingest()
    assert second["files"]["unchanged"] == 5
    assert second["generation"] == first["generation"]
    assert second["chunks"] == {"added": 0, "removed": 0, "total": first["chunks"]["total"]}
    assert stub.requests("embed") == []
    found = paths(ws.search("subject3"))
    assert len(found) == len(set(found))


def test_touched_files_cost_a_hash_and_no_embedding(ws: Workspace, stub: Stub) -> None:
    ws.write_all(FIVE)
    first = ws.ingest()
    stub.forget()
    for name in FIVE:
        _set_mtime(ws.notes / name, 1_700_000_000_123_456_789)
    second = ws.ingest()
    assert (second["files"]["touched"], second["files"]["changed"], second["embedded"]) == (5, 0, 0)
    assert second["generation"] == first["generation"]
    assert stub.requests("embed") == []
    assert ws.ingest()["files"]["unchanged"] == 5


@pytest.mark.parametrize("shift_seconds", [0, -86_400, 86_400])
def test_same_size_other_bytes_is_found_whatever_the_mtime(ws: Workspace, shift_seconds: int) -> None:
    path = ws.write("a.txt", "cat dog")
    mtime_ns = time.time_ns() - 7_200_000_000_000
    _set_mtime(path, mtime_ns)
    ws.ingest()
    ws.write("a.txt", "cat cow")
    _set_mtime(path, mtime_ns + shift_seconds * 1_000_000_000)
    assert ws.ingest()["files"]["changed"] == 1
    assert _found(ws, "cow", "keyword") == ["a.txt"]
    assert _found(ws, "dog", "keyword") == []


def test_a_rewrite_right_after_the_run_is_seen(ws: Workspace) -> None:
    ws.write("a.txt", "cat dog")
    ws.ingest()
    ws.write("a.txt", "cat cow")
    ws.ingest()
    assert _found(ws, "cow", "keyword") == ["a.txt"]


def test_verify_hashes_everything_and_embeds_nothing(ws: Workspace, stub: Stub) -> None:
    ws.write_all(FIVE)
    for name in FIVE:
        _set_mtime(ws.notes / name, 1_600_000_000_000_000_000)
    ws.ingest()
    stub.forget()
    report = ws.ingest("--verify")
    assert (report["files"]["unchanged"], report["embedded"], stub.embedded) == (5, 0, [])


def test_an_edit_during_the_run_is_picked_up_by_the_next(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 1}})
    ws.write_all({f"{name}.txt": f"early wording of {name}" for name in ("a", "b", "c")})
    gate = stub.hold("embed")
    running = ws.start("ingest", "--json")
    gate.wait_reached()
    for name in ("a", "b", "c"):
        ws.write(f"{name}.txt", f"later wording of {name}")
    gate.release()
    running.wait().expect(0, 3)
    ws.ingest()
    assert _found(ws, "early", "keyword") == []
    assert sorted(_found(ws, "later", "keyword")) == ["a.txt", "b.txt", "c.txt"]


def test_a_file_that_vanishes_during_the_run_does_not_end_it(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 1}})
    ws.write_all(FIVE)
    gate = stub.hold("embed")
    running = ws.start("ingest", "--json")
    gate.wait_reached()
    (ws.notes / "note4.txt").unlink()
    gate.release()
    running.wait().expect(0, 3)
    ws.ingest()
    assert sorted(ws.files()) == [f"note{n}.txt" for n in range(4)]


def test_known_text_is_never_embedded_again(ws: Workspace, stub: Stub) -> None:
    ws.write_all(FIVE)
    ws.ingest()
    stub.forget()
    shutil.copy(ws.notes / "note0.txt", ws.notes / "copy.txt")
    assert ws.ingest()["files"]["added"] == 1
    ws.write("note1.txt", "passing wording")
    ws.ingest()
    assert stub.embedded == ["passing wording"]
    ws.write("note1.txt", FIVE["note1.txt"])
    assert ws.ingest()["embedded"] == 0
    assert stub.embedded == ["passing wording"]


def test_alternating_contents_always_match_the_disk(ws: Workspace) -> None:
    for turn in range(4):
        here, gone = ("walrus", "heron") if turn % 2 else ("heron", "walrus")
        ws.write("a.txt", f"the {here} slept")
        ws.ingest()
        assert _found(ws, here, "keyword") == ["a.txt"]
        assert _found(ws, gone, "keyword") == []


def test_swapped_files_are_two_changes_and_no_embedding(ws: Workspace) -> None:
    one, two = ws.write("one.txt", "the heron slept"), ws.write("two.txt", "the walrus swam")
    ws.ingest()
    one.rename(ws.notes / "spare")
    two.rename(one)
    (ws.notes / "spare").rename(two)
    report = ws.ingest()
    assert (report["files"]["changed"], report["files"]["renamed"], report["embedded"]) == (2, 0, 0)
    assert _found(ws, "heron", "keyword") == ["two.txt"]


def test_counters_are_disjoint_and_sum_to_the_files_seen_or_gone(ws: Workspace) -> None:
    ws.write_all({**FIVE, "gone.txt": "soon deleted", "moved.txt": "soon moved", "blank.txt": " \n"})
    ws.ingest()
    (ws.notes / "gone.txt").unlink()
    (ws.notes / "moved.txt").rename(ws.notes / "arrived.txt")
    ws.write("note0.txt", "other words")
    ws.write("new.txt", "quite new")
    _set_mtime(ws.notes / "note1.txt", 1_700_000_000_000_000_000)
    counts = ws.ingest()["files"]
    assert counts == {
        "added": 1, "changed": 1, "touched": 1, "renamed": 1, "deleted": 1,
        "unchanged": 3, "failed": 0, "empty": 1, "skipped": 0,
    }  # fmt: skip


def test_moving_root_and_index_together_costs_nothing(ws: Workspace, stub: Stub, tmp_path: Path) -> None:
    ws.write_all(FIVE)
    ws.ingest()
    stub.forget()
    shutil.move(ws.root, tmp_path / "elsewhere")
    report = ws.ingest(cwd=tmp_path / "elsewhere")
    assert report["files"]["unchanged"] == 5
    shutil.copytree(tmp_path / "elsewhere", tmp_path / "copied")
    counts = ws.ingest(cwd=tmp_path / "copied")["files"]
    assert counts["unchanged"] + counts["touched"] == 5
    assert stub.requests("embed") == []
    shutil.rmtree(tmp_path / "elsewhere")
    assert paths(ws.search("subject3", cwd=tmp_path / "copied"))[0] == "note3.txt"


def test_a_dry_run_counts_and_touches_nothing(ws: Workspace, stub: Stub) -> None:
    ws.write_all(FIVE)
    ws.ingest()
    (ws.notes / "note0.txt").unlink()
    ws.write("note1.txt", "other words")
    ws.write("new.txt", "quite new")
    before = tree_digest(ws.root)
    stub.forget()
    counts = ws.ingest("--dry-run")["files"]
    assert [counts[key] for key in ("added", "changed", "deleted", "unchanged")] == [1, 1, 1, 3]
    assert stub.requests() == []
    assert tree_digest(ws.root) == before
    assert "token" in ws.run("ingest", "--dry-run").expect(0).said


def test_the_batch_size_changes_neither_results_nor_skipping(ws: Workspace, stub: Stub) -> None:
    ws.write_all({f"note{n}.txt": f"note {n} about subject{n} " + "filler " * n for n in range(12)})
    answers = []
    for batch in (1, 32):
        ws.configure({"workspace": {"state": f".state{batch}"}, "embedding": {"batch": batch}})
        stub.forget()
        ws.ingest()
        assert max(len(seen.texts) for seen in stub.requests("embed")) <= batch
        stub.forget()
        ws.ingest()
        assert stub.requests("embed") == []
        answers.append(ws.search("note about subject7")["hits"])
    assert answers[0] == answers[1]
    assert len(answers[0]) == 12
