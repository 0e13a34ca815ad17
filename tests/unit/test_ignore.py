"""Ignore files: what git leaves out is left out, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.ignore import Ignore, IgnoreFile
from tasks.scan import Rules, scan

RULES = Rules(("**",), (), True, False, frozenset({".md", ".txt"}))
FILES = (
    "a.md",
    "b.txt",
    "ab.md",
    "x y.md",
    "a/a.md",
    "a/b/a.md",
    "a/b/ab.txt",
    "b/a/b/a.md",
    "b/a.md",
    "b/ab/b.txt",
    "ab/a/ab.md",
    "ab/b.md/a.txt",
    "café/über.md",
    "a/[b].md",
    "a/!b.md",
    "a/#b.md",
    "b/a\\b.md",
)
TOKENS = (
    *("a", "b", "ab", "a.md", ".md", "b.txt", "café", "*", "*", "**", "**/", "/**", "/", "/", "?", "[ab]", "[!a]"),
    *("[^b]", "[a-b]", "[]", "[[:alpha:]]", "[b-a]", "[", "]", "!", "#", "\\", "\\ ", " ", "-", "[a/b]"),
)
lines = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map("".join)
# Left out, because git goes against its own description there: it takes a literal start off a pattern first, so
# that its "a**/b" matches "ab", and its "**\\/b" does not match "b".
lines = lines.filter(lambda line: re.search(r"[^/!]\*\*+(/|$)|\*\\/", line) is None)
ignore_text = st.lists(st.one_of(lines, lines.map("!{}".format)), min_size=1, max_size=4).map("\n".join)


def taken(root: Path, rules: Rules = RULES) -> list[str]:
    return [file.path for file in scan(root, rules).files]


def taken_by_git(root: Path) -> list[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True)
    names = done.stdout.decode().split("\0")[:-1]
    return sorted(name for name in names if not name.rpartition("/")[2].startswith("."))


def make(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        make(Path(folder), dict.fromkeys(FILES, ""))
        yield Path(folder)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["", "a/", "b/", "b/a/"]), ignore_text, min_size=1, max_size=3))
def test_the_files_taken_are_those_git_does_not_ignore(repository: Path, ignored: dict[str, str]) -> None:
    for folder in ("", "a/", "b/", "b/a/"):
        (repository / folder / ".gitignore").unlink(missing_ok=True)
    make(repository, {f"{folder}.gitignore": text for folder, text in ignored.items()})
    assert taken(repository) == taken_by_git(repository)


def test_one_above_the_root_never_counts_and_git_s_can_be_turned_off(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "a.md", "root/a.md": "", "root/b.md": "", "root/.gitignore": "b.md"})
    assert taken(tmp_path / "root") == ["a.md"]
    assert taken(tmp_path / "root", replace(RULES, gitignore=False)) == ["a.md", "b.md"]


def test_one_s_own_rules_hold_without_git_s_and_outrank_them(tmp_path: Path) -> None:
    make(tmp_path, {"a.md": "", "b.md": "", "sub/c.md": "", "sub/.gitignore": "c.md", ".gitignore": "b.md"})
    make(tmp_path, {".whereinignore": "a.md\n!c.md\n"})
    assert taken(tmp_path) == ["sub/c.md"]
    assert taken(tmp_path, replace(RULES, gitignore=False)) == ["b.md", "sub/c.md"]


def test_a_folder_or_a_link_of_that_name_is_no_ignore_file(tmp_path: Path) -> None:
    make(tmp_path, {"a.md": "", "rules": "a.md", "sub/b.md": "", ".gitignore/x": ""})
    (tmp_path / "sub/.gitignore").symlink_to("../rules")
    (tmp_path / ".whereinignore").symlink_to("nothing")
    assert taken(tmp_path) == ["a.md", "sub/b.md"]


@pytest.mark.parametrize(
    ("text", "name", "folder", "expected"),
    [
        ("", "a", False, None),
        ("\n\n# a\n", "a", False, None),
        ("a", "a", False, True),
        ("a\r\nb\r\n", "a", False, True),
        ("\ufeffa", "a", False, None),
        ("a/", "a", False, None),
        ("a/", "a", True, True),
        ("a  ", "a", False, True),
        ("a\\  ", "a ", False, True),
        ("*\n!a", "a", False, False),
        ("!a\n*", "a", False, True),
        ("\\!a", "!a", False, True),
        ("\\#a", "#a", False, True),
        ("A", "a", False, None),
        ("?", "é", False, True),
        ("*.md", "a\nb.md", False, True),
        ("[", "[", False, None),
        ("a//b", "a", True, None),
    ],
)
def test_the_last_line_that_matches_decides(text: str, name: str, folder: bool, expected: bool | None) -> None:
    assert IgnoreFile(text, 0).verdict(name, name, folder=folder) is expected


def test_a_byte_order_mark_is_no_part_of_the_first_pattern(tmp_path: Path) -> None:
    make(tmp_path, {"a.md": "", ".gitignore": "\ufeffa.md"})
    assert taken(tmp_path) == []


def test_a_pattern_of_many_stars_is_answered_at_once() -> None:
    file = IgnoreFile("*a" * 60 + "b\n" + "x/" + "**/a/" * 30 + "b", 0)
    assert file.verdict("a" * 250, "a" * 250, folder=False) is None
    assert file.verdict("x/" + "a/" * 1000 + "c", "c", folder=False) is None


def test_without_ignore_files_nothing_is_ignored() -> None:
    assert not Ignore().ignored("a", "a", folder=False)
