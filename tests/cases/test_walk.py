from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths


def _indexed(ws: Workspace) -> list[str]:
    return sorted(path for path, row in ws.files().items() if row["state"] == "indexed")


def test_a_symlink_loop_ends_and_aliases_are_not_taken_twice(ws: Workspace) -> None:
    ws.write("a.txt", "lonely pelican")
    (ws.notes / "loop").symlink_to(".")
    (ws.notes / "up").symlink_to("..")
    (ws.notes / "alias.txt").symlink_to("a.txt")
    (ws.notes / "dangling.txt").symlink_to("nowhere.txt")
    ws.ingest(timeout=60)
    assert _indexed(ws) == ["a.txt"]
    assert paths(ws.search("pelican")) == ["a.txt"]


def test_followed_links_stay_inside_the_root_and_take_each_real_file_once(ws: Workspace, tmp_path: Path) -> None:
    ws.configure({"collections": {"notes": {"follow_symlinks": True}}})
    ws.write("real/a.txt", "lonely pelican")
    outside = tmp_path / "outside.txt"
    outside.write_text("forbidden flamingo", encoding="utf-8")
    (ws.notes / "linked").symlink_to("real")
    (ws.notes / "loop").symlink_to(".")
    (ws.notes / "escape.txt").symlink_to(outside)
    ws.ingest(timeout=60)
    assert len(_indexed(ws)) == 1
    assert len(ws.search("pelican")["hits"]) == 1
    ws.search("flamingo", "--mode", "keyword", code=4)


def test_extensions_compare_without_case(ws: Workspace) -> None:
    ws.write_all({"A.TXT": "word albatross", "b.Md": "word bittern", "c.txt": "word cormorant"})
    assert ws.ingest()["files"]["added"] == 3
    for word, path in (("albatross", "A.TXT"), ("bittern", "b.Md"), ("cormorant", "c.txt")):
        assert paths(ws.search(word, "--mode", "keyword")) == [path]


def test_hidden_and_dependency_folders_are_left_out_at_any_depth(ws: Workspace, stub: Stub) -> None:
    ws.write("p/a.txt", "keep this")
    junk = (".git/x.txt", "node_modules/y.txt", "deep/down/node_modules/z/y.txt", ".env", ".hidden.txt",
            "__pycache__/c.txt", "env/lib/site.txt")  # fmt: skip
    ws.write_all({f"p/{name}": "KEY=zzz secret" for name in junk})
    ws.write("p/env/pyvenv.cfg", "home = /usr/bin")
    ws.ingest()
    assert _indexed(ws) == ["p/a.txt"]
    assert not [text for text in stub.embedded if "zzz" in text]
    ws.search("zzz", "--mode", "keyword", code=4)


def test_a_root_below_a_hidden_folder_is_read(ws: Workspace) -> None:
    ws.configure({"collections": {"notes": {"path": ".vault/node_modules/notes"}}})
    inner = ws.root / ".vault" / "node_modules" / "notes"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("lonely pelican", encoding="utf-8")
    assert ws.ingest()["files"]["added"] == 1


@pytest.mark.parametrize("how", ["exclude", ".gitignore", ".whereinignore", "sub/.gitignore"])
def test_a_file_that_becomes_ignored_is_pruned(ws: Workspace, how: str) -> None:
    ws.write_all({"sub/a.txt": "private gannet", "sub/b.txt": "public gannet"})
    ws.ingest()
    if how == "exclude":
        ws.configure({"collections": {"notes": {"exclude": ["sub/a.txt"]}}})
    else:
        ws.write(how, "a.txt\n")
    report = ws.ingest()
    assert report["files"]["failed"] == 0
    assert _indexed(ws) == ["sub/b.txt"]
    assert paths(ws.search("gannet", "--mode", "vector")) == ["sub/b.txt"]


def test_ignoring_every_file_empties_the_collection_without_complaint(ws: Workspace) -> None:
    ws.write("a.txt", "private gannet")
    ws.ingest()
    ws.configure({"collections": {"notes": {"exclude": ["a.txt"]}}})
    ws.ingest()
    assert _indexed(ws) == []
    ws.search("gannet", code=4)


def test_anchored_and_negated_ignore_patterns_mean_what_they_mean_to_git(ws: Workspace) -> None:
    ws.write(".gitignore", "/top.txt\n*.log.txt\n!keep.log.txt\n")
    names = ("top.txt", "sub/top.txt", "x.log.txt", "keep.log.txt")
    ws.write_all({name: f"text of {name}" for name in names})
    ws.ingest()
    assert _indexed(ws) == ["keep.log.txt", "sub/top.txt"]


def test_gitignore_can_be_turned_off_and_whereinignore_still_counts(ws: Workspace) -> None:
    ws.configure({"collections": {"notes": {"gitignore": False}}})
    ws.write_all({"a.txt": "one", "b.txt": "two", ".gitignore": "a.txt\n", ".whereinignore": "b.txt\n"})
    ws.ingest()
    assert _indexed(ws) == ["a.txt"]


def test_an_ignore_file_above_the_root_never_counts(ws: Workspace) -> None:
    (ws.root / ".gitignore").write_text("*.txt\n", encoding="utf-8")
    ws.write("a.txt", "one")
    ws.ingest()
    assert _indexed(ws) == ["a.txt"]


def test_a_sparse_placeholder_is_not_embedded(ws: Workspace, stub: Stub) -> None:
    ws.write_all({"good.txt": "lonely pelican"})
    for name, size in (("small.txt", 5_000_000), ("big.txt", 100_000_000)):
        with (ws.notes / name).open("wb") as handle:
            handle.truncate(size)
    ws.run("ingest", timeout=120).expect(0, 3)
    assert _indexed(ws) == ["good.txt"]
    assert not [text for text in stub.embedded if "\0" in text]
    rows = ws.files()
    assert {rows[name]["state"] for name in ("small.txt", "big.txt")} <= {"skipped", "empty"}


def test_a_file_that_becomes_a_placeholder_keeps_what_was_indexed(ws: Workspace, stub: Stub) -> None:
    ws.write_all({"good.txt": "lonely pelican", "away.txt": "shy quokka"})
    ws.ingest()
    stub.forget()
    with (ws.notes / "away.txt").open("wb") as handle:
        handle.truncate(5_000_000)
    ws.run("ingest").expect(3)
    assert stub.embedded == []
    assert paths(ws.search("quokka"))[0] == "away.txt"
    assert ws.files()["away.txt"]["state"] == "failed"
    ws.write("away.txt", "shy quokka")
    assert ws.ingest()["embedded"] == 0
    assert ws.files()["away.txt"]["state"] == "indexed"


def test_files_without_a_reader_are_skipped_by_rule(ws: Workspace) -> None:
    ws.write_all({"a.txt": "one", "photo.jpg": b"\xff\xd8\xff\x00", "tool.exe": b"MZ\0\0", "bare": b"\0\1"})
    report = ws.ingest(code=0)
    assert (report["files"]["added"], report["files"]["failed"]) == (1, 0)


def test_a_pipe_with_a_text_name_does_not_block_the_run(ws: Workspace) -> None:
    ws.write("a.txt", "one")
    (ws.notes / "folder.txt").mkdir()
    os.mkfifo(ws.notes / "pipe.txt")
    ws.run("ingest").expect(0, 3)
    assert _indexed(ws) == ["a.txt"]


def test_a_name_that_is_not_valid_text_is_skipped_and_the_rest_indexed(ws: Workspace) -> None:
    ws.write("a.txt", "lonely pelican")
    try:
        Path(os.fsdecode(os.fsencode(ws.notes) + b"/bad\xff.txt")).write_bytes(b"text")
    except OSError:
        pytest.skip("this file system refuses names that are not valid text")
    ws.run("ingest", "--json").expect(0, 3)
    assert _indexed(ws) == ["a.txt"]
    ws.run("files").expect(0, 3)


def test_a_decomposed_file_name_is_shown_and_matched_composed(ws: Workspace) -> None:
    ws.write("cafe\u0301.txt", "lonely pelican")
    ws.ingest()
    assert paths(ws.search("pelican")) == ["café.txt"]
    assert ws.show("café.txt") == "lonely pelican"
    assert paths(ws.search("pelican", "--path", "café*")) == ["café.txt"]


def test_awkward_names_are_taken_as_they_are(ws: Workspace) -> None:
    names = ["with space.txt", "50% #1 [x] (copy).txt", "-dash.txt", "emoji 😀.txt", "quote'\".txt"]
    ws.write_all({name: f"text number {index}" for index, name in enumerate(names)})
    ws.ingest()
    assert _indexed(ws) == sorted(names)
    for index, name in enumerate(names):
        assert ws.run("show", "--", name).expect(0).stdout == f"text number {index}"


def test_long_paths_do_not_eat_the_chunk_budget(ws: Workspace) -> None:
    ws.configure({"chunking": {"size": 128, "overlap": 10}})
    deep = "/".join(letter * 60 for letter in "abcdefgh")
    ws.write(f"{deep}/leaf.txt", "lonely pelican " * 100)
    report = ws.ingest()
    assert (report["files"]["added"], report["files"]["failed"]) == (1, 0)
    assert set(paths(ws.search("pelican"))) == {f"{deep}/leaf.txt"}


def test_the_settings_of_a_workspace_that_is_its_own_root_are_not_counted(ws: Workspace) -> None:
    ws.configure({"collections": {"notes": {"path": "."}}})
    ws.write_all({"a.txt": "pelican", "data.bin": "junk"})
    assert ws.ingest()["files"]["skipped"] == 1, "data.bin alone"
