"""A scan: which files it finds, which it leaves out, and what it says of them."""

from __future__ import annotations

import inspect
import os
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import WhereinError
from store.records import Scan
from tasks.scan import Rules, scan
from tasks.walk import file_stat

RULES = Rules(("**/*.md", "**/*.txt"), (), True, False, frozenset({".md", ".txt"}))
FOLLOW = replace(RULES, follow_symlinks=True)


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def paths(found: Scan) -> list[str]:
    return [file.path for file in found.files]


def problems(found: Scan) -> dict[str, str]:
    return {problem.path: problem.reason for problem in found.skipped}


def refuse(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    """Let the listing of folders whose path ends so fail."""
    listing = os.scandir

    def scandir(path: str) -> object:
        if path.endswith(folder):
            raise PermissionError(13, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)


def test_an_empty_root_holds_no_files(tmp_path: Path) -> None:
    found = scan(tmp_path, RULES)
    assert (found.files, found.skipped, found.excluded, found.unlistable) == ([], [], 0, [])


def test_a_file_is_what_the_system_says_of_it(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.md")
    (file,) = scan(tmp_path, RULES).files
    stat = (tmp_path / "sub/a.md").stat()
    assert (file.path, file.size_bytes, file.inode) == ("sub/a.md", 8, stat.st_ino)
    assert (file.mtime_ns, file.ctime_ns) == (stat.st_mtime_ns, stat.st_ctime_ns)


def test_what_the_catalog_cannot_hold_of_a_number_is_left_off(tmp_path: Path) -> None:
    wild = SimpleNamespace(st_size=1, st_mtime_ns=15_000_000_000 * 10**9, st_ctime_ns=-(2**64), st_ino=2**64 - 1)
    stat = file_stat("a.txt", cast("os.stat_result", wild))
    assert (stat.mtime_ns, stat.ctime_ns, stat.inode) == (2**63 - 1, -(2**63), -1)


def test_files_are_sorted_by_the_code_points_of_their_paths(tmp_path: Path) -> None:
    names = ["b.md", "a/z.md", "a.md", "a b.md", "a-b/x.md", "B.md", "\u00e9.md", "e\u0301.md", "日.md", "😀.md"]
    make(tmp_path, *names)
    assert paths(scan(tmp_path, RULES)) == sorted(names)


@pytest.mark.parametrize("kind", ["missing", "file", "loop"])
def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    if kind == "file":
        root.touch()
    if kind == "loop":
        root.symlink_to(root)
    with pytest.raises(WhereinError, match=str(root)) as error:
        scan(root, replace(RULES, skip_paths=frozenset({str(root / "state")})))
    assert (error.value.kind, error.value.code) == ("root", 1)


def test_a_root_that_cannot_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, f"{tmp_path.name}/")
    with pytest.raises(WhereinError, match="cannot be listed"):
        scan(tmp_path, RULES)


def test_a_folder_that_cannot_be_listed_is_named_and_the_rest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.md", "locked/b.md", "open/c.md")
    refuse(monkeypatch, "locked/")
    found = scan(tmp_path, RULES)
    assert paths(found) == ["a.md", "open/c.md"]
    assert [(p.path, p.kind, p.reason) for p in found.unlistable] == [("locked/", "unlistable", "permission denied")]


def test_a_folder_whose_ignore_file_cannot_be_read_is_not_guessed_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.md", "sub/secret.md", "sub/.gitignore")
    reading = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == ".gitignore":
            raise PermissionError(13, "Permission denied", str(path))
        return reading(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    found = scan(tmp_path, RULES)
    assert paths(found) == ["a.md"]
    assert [problem.path for problem in found.unlistable] == ["sub/"]


def test_what_vanishes_while_it_is_looked_at_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "b.md", "sub/c.md")
    listing = os.scandir

    class Vanishing:
        def __init__(self, path: str) -> None:
            self._entries = list(listing(path))
            for gone in ("b.md", "sub/c.md"):
                (tmp_path / gone).unlink(missing_ok=True)
            (tmp_path / "sub").rmdir()

        def __enter__(self) -> object:
            return iter(self._entries)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", lambda path: Vanishing(path) if path == f"{tmp_path}/" else listing(path))
    found = scan(tmp_path, RULES)
    assert (paths(found), found.unlistable, found.skipped) == (["a.md"], [], [])


def test_hidden_and_dependency_folders_are_never_entered_at_any_depth(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".env.txt", ".git/x.md", "p/.obsidian/x.md", "p/node_modules/y.md", "__pycache__/z.md")
    make(tmp_path, "tools/venv/pyvenv.cfg", "tools/venv/lib/readme.md", "odd name/pyvenv.cfg", "odd name/b.md")
    make(tmp_path, "venv/notes.md")
    found = scan(tmp_path, RULES)
    assert paths(found) == ["a.md", "venv/notes.md"]
    assert found.excluded == 1


def test_a_root_under_hidden_and_dependency_folders_is_a_root_like_any_other(tmp_path: Path) -> None:
    root = tmp_path / ".cache" / "node_modules" / "notes"
    make(root, "a.md", "pyvenv.cfg")
    assert paths(scan(root, RULES)) == ["a.md"]


def test_extensions_compare_without_case_and_only_those_with_a_reader_count(tmp_path: Path) -> None:
    make(tmp_path, "A.TXT", "b.Md", "c.txt", "d.pdf", "README", "e.txt.gz", "f.")
    found = scan(tmp_path, replace(RULES, include=("**",)))
    assert (paths(found), found.excluded) == (["A.TXT", "b.Md", "c.txt"], 4)


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("**/*.md",), (), ["a.md", "drafts/b.md", "x/drafts/c.md"]),
        (("*.MD",), (), ["a.md"]),
        (("**/*.{md,txt}",), (), ["a.md", "a.txt", "drafts/b.md", "x/drafts/c.md"]),
        (("**",), ("drafts/**",), ["a.md", "a.txt", "x/drafts/c.md"]),
        (("**",), ("drafts",), ["a.md", "a.txt", "x/drafts/c.md"]),
        (("**",), ("./drafts/",), ["a.md", "a.txt", "x/drafts/c.md"]),
        (("**",), ("**/drafts/**",), ["a.md", "a.txt"]),
        (("**",), ("**/[bc].md",), ["a.md", "a.txt"]),
        (("x/**/c.md",), (), ["x/drafts/c.md"]),
        (("**",), ("**",), []),
        ((), (), []),
    ],
)
def test_globs_are_relative_to_the_root(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], expected: list[str]
) -> None:
    make(tmp_path, "a.md", "a.txt", "drafts/b.md", "x/drafts/c.md")
    assert paths(scan(tmp_path, replace(RULES, include=include, exclude=exclude))) == expected


def test_an_excluded_folder_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "drafts/b.md", ".gitignore", "old/c.md")
    (tmp_path / ".gitignore").write_text("old/\n")
    refuse(monkeypatch, "drafts/")
    refuse(monkeypatch, "old/")
    found = scan(tmp_path, replace(RULES, exclude=("drafts/**",)))
    assert (paths(found), found.unlistable) == (["a.md"], [])


def test_a_pattern_that_cannot_be_read_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match=r"\[ab") as error:
        scan(tmp_path, replace(RULES, exclude=("[ab.md",)))
    assert error.value.code == 2


def test_names_are_matched_composed_whatever_the_disk_holds(tmp_path: Path) -> None:
    make(tmp_path, unicodedata.normalize("NFD", "café.md"), unicodedata.normalize("NFD", "naïve.md"))
    (tmp_path / ".gitignore").write_text(unicodedata.normalize("NFC", "naïve.md"), encoding="utf-8")
    rules = replace(RULES, exclude=(unicodedata.normalize("NFC", "café.md"),))
    assert paths(scan(tmp_path, rules)) == []
    assert paths(scan(tmp_path, replace(RULES, gitignore=False))) == sorted(
        unicodedata.normalize("NFD", name) for name in ("café.md", "naïve.md")
    )


def test_a_name_that_is_not_text_is_named_and_skipped(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / os.fsdecode(b"caf\xe9.md")).touch()
    (tmp_path / os.fsdecode(b"caf\xe9.jpg")).touch()
    folder = tmp_path / os.fsdecode(b"\xff")
    make(folder, "b.md")
    found = scan(tmp_path, RULES)
    assert (paths(found), found.excluded) == (["a.md"], 1)
    assert [(p.path, p.kind) for p in found.skipped] == [("caf\ufffd.md", "name"), ("\ufffd/", "name")]


def test_special_files_are_left_out_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    found = scan(tmp_path, RULES)
    assert (paths(found), found.excluded) == ([], 1)


def test_hard_links_are_two_files(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
    assert paths(scan(tmp_path, RULES)) == ["a.md", "b.md"]


def test_the_folders_of_the_index_are_never_entered(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "results/b.md", "keep/results/c.md", "results2/d.md")
    rules = replace(RULES, skip_paths=frozenset({str(tmp_path / "results"), str(tmp_path / "absent")}))
    assert paths(scan(tmp_path, rules)) == ["a.md", "keep/results/c.md", "results2/d.md"]
    assert paths(scan(tmp_path / "results", rules)) == ["b.md"]


def test_more_nested_folders_than_calls_may_nest(tmp_path: Path) -> None:
    make(tmp_path, "d/" * 300 + "a.md")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        found = scan(tmp_path, RULES)
    finally:
        sys.setrecursionlimit(limit)
    assert paths(found) == ["d/" * 300 + "a.md"]


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "sub/b.md")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "sub/up").symlink_to("..")
    (tmp_path / "alias.md").symlink_to("a.md")
    (tmp_path / "dangling.md").symlink_to("nothing")
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "photo.png").symlink_to("a.md")
    found = scan(tmp_path, RULES)
    assert (paths(found), found.excluded) == (["a.md", "sub/b.md"], 1)
    assert sorted(problems(found)) == ["alias.md", "dangling.md", "loop", "self.md", "sub/up"]
    assert {problem.kind for problem in found.skipped} == {"symlink"}


def test_followed_links_end_and_the_real_path_wins(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "sub/c.md")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "sub/up").symlink_to("..")
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "self.md").symlink_to("self.md")
    found = scan(tmp_path, FOLLOW)
    assert paths(found) == ["b.md", "sub/c.md"]
    assert sorted(problems(found)) == ["a.md", "loop", "self.md", "sub/up"]
    assert "b.md" in problems(found)["a.md"]


def test_followed_links_take_each_file_they_alone_lead_to_once(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".store/x/b.md", ".store/c.md", ".store/x/deep/d.md")
    (tmp_path / "notes").symlink_to(".store/x")
    (tmp_path / "other").symlink_to(".store")
    (tmp_path / "again").symlink_to("notes")
    (tmp_path / "one.md").symlink_to(".store/c.md")
    (tmp_path / ".store/x/back").symlink_to("../..")
    found = scan(tmp_path, FOLLOW)
    assert paths(found) == ["a.md", "again/b.md", "again/deep/d.md", "other/c.md"]
    assert sorted(problems(found)) == ["again/back", "notes", "one.md"]


def test_followed_links_keep_to_the_root_the_rules_and_out_of_the_index(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "a.md", "state/b.md", ".hidden/c.md")
    make(tmp_path, "outside/d.md", "root2/e.md")
    for name, target in (("out", "../outside"), ("out2", "../root2"), ("st", "state"), ("no", ".hidden")):
        (root / name).symlink_to(target)
    rules = replace(FOLLOW, exclude=("no/**",), skip_paths=frozenset({str(root / "state")}))
    found = scan(root, rules)
    assert paths(found) == ["a.md"]
    assert sorted(problems(found)) == ["out", "out2", "st"]


names = st.sampled_from(["a", "b.md", "c.TXT", "é.md", ".h.md", "x.png", "n.d"])


@settings(max_examples=40, deadline=None)
@given(st.sets(st.lists(names, min_size=1, max_size=4).map("/".join), max_size=12))
def test_a_scan_finds_what_a_plain_walk_finds(tmp_path_factory: pytest.TempPathFactory, files: set[str]) -> None:
    root = tmp_path_factory.mktemp("tree")
    for path in sorted(files):
        if not any((root / path).parents[i].is_file() for i in range(path.count("/"))) and not (root / path).exists():
            make(root, path)
    walked = [p.relative_to(root) for p in root.rglob("*") if p.is_file()]
    expected = sorted(
        p.as_posix()
        for p in walked
        if p.suffix.lower() in RULES.extensions and not any(part.startswith(".") for part in p.parts)
    )
    assert paths(scan(root, RULES)) == expected
