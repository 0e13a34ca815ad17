"""Reading a file: whole and held still, or a reason; and the document in its bytes."""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.records import Document
from tasks.read import READERS, Unread, load, parse
from tests.unit.corpora import data_folder


def during_reading(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object], times: int = 1) -> None:
    """Let something happen before the first reads of a file's bytes."""
    reading, left = os.read, [times]

    def read(descriptor: int, size: int) -> bytes:
        if left[0] > 0:
            left[0] -= 1
            action()
        return reading(descriptor, size)

    monkeypatch.setattr(os, "read", read)


def refusal(path: Path, max_bytes: int | None = None) -> tuple[str, str]:
    with pytest.raises(Unread) as refused:
        load(path, max_bytes)
    assert str(path) not in refused.value.reason
    return refused.value.kind, refused.value.state


@pytest.mark.parametrize("data", [b"", b"x", b"caf\xc3\xa9\r\n", bytes(range(256)) * 5000])
def test_a_file_is_read_whole_with_its_digest_and_stat(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    loaded = load(path, len(data))
    assert (loaded.data, loaded.sha256) == (data, hashlib.sha256(data).hexdigest())
    assert (loaded.stat.st_size, loaded.stat.st_mtime_ns) == (len(data), path.stat().st_mtime_ns)


def test_a_file_that_grows_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    during_reading(monkeypatch, lambda: path.write_text("one and two"))
    loaded = load(path)
    assert loaded.data == b"one and two"
    assert loaded.stat.st_mtime_ns == path.stat().st_mtime_ns


def test_a_change_of_the_same_size_is_noticed_even_if_its_time_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("cat dog")
    os.utime(path, ns=(1, 1))

    def rewrite() -> None:
        path.write_text("cat cow")
        os.utime(path, ns=(1, 1))

    reading, reads = os.read, []

    def read(descriptor: int, size: int) -> bytes:
        data = reading(descriptor, size)
        reads.append(data)
        if reads == [b"cat dog"]:
            rewrite()
        return data

    monkeypatch.setattr(os, "read", read)
    assert load(path).data == b"cat cow"


def test_a_file_that_never_holds_still_is_left_for_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    during_reading(monkeypatch, lambda: path.write_text(path.read_text() + "x"), times=1000)
    assert refusal(path) == ("changing", "pending")


def test_a_file_put_in_its_place_meanwhile_is_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    (tmp_path / "b.txt").write_text("new!")
    inode = path.stat().st_ino
    during_reading(monkeypatch, lambda: (tmp_path / "b.txt").replace(path))
    loaded = load(path)
    assert (loaded.data, loaded.stat.st_ino == inode) in {(b"old", True), (b"new!", False)}


def test_a_file_that_is_gone_is_left_for_the_next_run(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.txt") == ("missing", "pending")
    (tmp_path / "b").touch()
    assert refusal(tmp_path / "b" / "a.txt") == ("missing", "pending")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_longer_a_file_is_not_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "a.txt")
    assert refusal(tmp_path / "a.txt") == ("changing", "pending")


@pytest.mark.parametrize(
    ("error", "kind"),
    [(PermissionError(13, "Permission denied"), "permission"), (OSError(5, "Input/output error"), "unreadable")],
)
def test_what_the_system_refuses_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, kind: str
) -> None:
    def refuse(*_: object) -> int:
        raise error

    monkeypatch.setattr(os, "open", refuse)
    assert refusal(tmp_path / "a.txt") == (kind, "failed")


def test_a_file_over_the_limit_is_skipped_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 11)
    during_reading(monkeypatch, lambda: pytest.fail("it was read"))
    assert refusal(tmp_path / "a.txt", 10) == ("over-limit", "skipped")


def test_a_file_whose_bytes_are_elsewhere_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.touch()
    os.truncate(path, 100_000_000)
    if path.stat().st_blocks:
        pytest.skip("this file system has no sparse files")
    during_reading(monkeypatch, lambda: pytest.fail("it was read"))
    assert refusal(path) == ("placeholder", "failed")


def test_files_that_are_read_leave_no_descriptor_open(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.txt").mkdir()
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        load(tmp_path / "a.txt")
        refusal(tmp_path / "b.txt")
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_plain_text_has_no_front_matter_and_no_title() -> None:
    text = "---\ntitle: x\n---\n# heading\n"
    assert parse(text.encode(), ".txt") == Document(text, "utf-8")


def test_markdown_has_its_front_matter_apart_and_the_offsets_count_from_the_first_character() -> None:
    text = "---\ntitle: Ünïcode\n---\n# Other\nbody"
    document = parse(b"\xef\xbb\xbf" + text.encode(), ".MD")
    assert (document.text, document.title, document.front_matter) == (text, "Ünïcode", {"title": "Ünïcode"})
    assert document.text[document.body_start :] == "# Other\nbody"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", None),
        ("# Walks", "Walks"),
        ("text\r\r   #\tWalks and more ##\r", "Walks and more"),
        ("## Second\n# First #\n", "First"),
        ("#hashtag\n    # code\n# \n# ##\n", None),
        ("```\n# comment\n```\n# Title", "Title"),
        ("~~~\n# a\n```\n# b\n~~~\n# Title", "Title"),
        ("```\n# never closed", None),
        ("# C#", "C#"),
        ("text # no", None),
        ("---\ntags: [a]\n---\n# Below", "Below"),
        ("---\n# not yaml: a: b\n---\n", "not yaml: a: b"),
    ],
)
def test_the_title_is_the_first_heading(text: str, title: str | None) -> None:
    assert parse(text.encode(), ".md").title == title


def test_a_document_says_in_what_encoding_it_was_read() -> None:
    document = parse("café naïve résumé".encode("latin-1"), ".txt")
    assert (document.text, document.encoding, document.note) == (
        "café naïve résumé",
        "cp1252",
        "read as Windows-1252",
    )


def test_an_extension_without_a_reader_is_refused() -> None:
    with pytest.raises(Unread, match="xyz"):
        parse(b"", ".xyz")


def test_every_reader_is_named_by_a_lower_case_extension() -> None:
    assert all(extension == extension.lower() and extension[0] == "." for extension in READERS)


def awkward() -> list[tuple[dict[str, Any], bytes]]:
    folder = data_folder("awkward")
    rows = map(json.loads, (folder / "expect.jsonl").read_text(encoding="utf-8").splitlines())
    with tarfile.open(folder / "files.tar.gz") as tar:
        streams = [(row, tar.extractfile(f"files/{row['file']}")) for row in rows]
        return [(row, stream.read()) for row, stream in streams if stream is not None]


def test_every_awkward_text_gives_what_must_come_out() -> None:
    texts = [(row, data) for row, data in awkward() if Path(row["file"]).suffix in READERS]
    assert len(texts) > 25
    for row, data in texts:
        text = parse(data, Path(row["file"]).suffix).text
        text.encode()
        if row["expect"] == "empty":
            assert not text.strip(), row["file"]
        for wanted in row["must_contain"]:
            assert any(choice in text for choice in wanted.split("|")), (row["file"], wanted)
        for unwanted in row["must_not_contain"]:
            assert unwanted not in text, (row["file"], unwanted)


def test_awkward_files_of_other_kinds_are_read_or_refused_but_break_nothing() -> None:
    for _, data in awkward():
        for suffix in sorted(READERS):
            try:
                parse(data, suffix).text.encode()
            except Unread as refused:
                assert refused.kind == "binary"
