"""`wherein backup` and `restore`: what comes back is what was there, and nothing else is ever put in its place."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import pytest

from store import archive, disk, reading, snapshot, writer
from tests.property.folder import Folder
from tests.support.embedder import HashedWords
from tests.unit import spoiling
from tests.unit.backed_up import backed_up, contents, embedder, folder, here, refused
from tests.unit.cli_workspace import Ended, Place, collections, staged
from tests.unit.spoiling import STATE

__all__ = ["embedder", "folder", "here"]


def test_what_is_restored_is_what_was_there(here: Place, folder: Folder, embedder: HashedWords, tmp_path: Path) -> None:
    before, calls = contents(folder), len(embedder.sent_texts)
    path = backed_up(here)
    assert path.stat().st_mode & 0o077 == 0, "it holds texts"
    folder.write("a.txt", b"something else")
    folder.write("b.md", b"something else too")
    folder.ingest()
    calls = len(embedder.sent_texts)
    ended = here.run("restore", str(path), "--replace")
    assert (ended.code, "restored and answering" in ended.out) == (0, True), ended
    assert contents(folder) == before
    assert here.run("doctor", "--deep").code == 0
    assert len(embedder.sent_texts) == calls
    assert {p.name for p in (here.folder / STATE).iterdir()} - {"catalog.sqlite-shm", "catalog.sqlite-wal"} == {
        "catalog.sqlite", "derived", "lock", "seal.json"
    }  # fmt: skip


def test_a_restored_generation_comes_after_all_there_were(here: Place, folder: Folder) -> None:
    path = backed_up(here)
    for text in (b"third", b"fourth"):
        folder.write("a.txt", text)
        folder.ingest()
    (restored,) = here.run("restore", str(path), "--replace", "--json").json
    assert (restored["collection"], restored["generation"], restored["files"]) == ("c", 5, 4)
    assert [entry["number"] for entry in here.run("generations", "--json").json] == [5]


def test_an_index_is_restored_where_there_is_none_and_the_next_ingest_embeds_nothing(
    here: Place, folder: Folder, embedder: HashedWords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = backed_up(here)
    other = Folder(tmp_path / "other")
    for file in ("a.txt", "b.md", "s/c.txt", "d.txt"):
        other.write(file, (folder.files / file).read_bytes())
    monkeypatch.chdir(other.place)
    calls = len(embedder.sent_texts)
    assert Place(other.place, here.capture).run("restore", str(path)).code == 0
    assert contents(other) == contents(folder)
    report = other.ingest()
    assert (report.embedded, report.files["touched"]) == (0, 4)
    assert len(embedder.sent_texts) == calls


def test_an_empty_index_comes_back_empty(here: Place, folder: Folder) -> None:
    for path in list(folder.files.rglob("*.*")):
        path.unlink()
    folder.ingest()
    path = backed_up(here)
    assert here.run("restore", str(path), "--replace").code == 0
    assert contents(folder)[0] == {"rows": []}


def test_several_collections_or_some_of_them(here: Place, folder: Folder) -> None:
    here.settings(collections({"c": "files", "d": "files", "e": "files"}) + "[rerank]\nenabled = false\n")
    assert here.run("ingest", "d").code == 0
    ended = here.run("backup", "two.backup")
    assert [line.split()[0] for line in ended.out.splitlines()] == ["c", "d", "two.backup"]
    assert "e is not indexed" in ended.err
    assert here.run("backup", "e.backup", "--collection", "e").code == 1
    assert [e["collection"] for e in here.run("restore", "two.backup", "--replace", "--json").json] == ["c", "d"]
    one = backed_up(here, "one.backup", "--collection", "d")
    assert "not in" in refused(here, one, "--collection", "c", "--replace")
    here.settings(collections({"c": "files"}))
    assert "[collections.d]" in refused(here, one)
    assert here.run("restore", "two.backup", "--collection", "c", "--replace").code == 0


def test_nothing_is_overwritten_unless_that_is_asked_for(here: Place) -> None:
    path = backed_up(here)
    kept = path.read_bytes()
    assert here.run("backup", str(path)).code == 2
    assert path.read_bytes() == kept
    backed_up(here, str(path), "--replace")
    assert "--replace" in refused(here, path)
    for place in (here.folder, here.folder / "no" / "such.backup"):
        assert here.run("backup", str(place)).code == 2
    assert "Cannot read" in refused(here, here.folder / "nosuch")


def test_a_broken_index_is_not_backed_up_and_can_be_restored_over(here: Place, folder: Folder) -> None:
    before, path = contents(folder), backed_up(here)
    for spoil in spoiling.KINDS:
        spoil(here.folder / STATE / "catalog.sqlite")
        assert here.run("backup", "broken.backup").code == 1
        assert not (here.folder / "broken.backup").exists()
        assert here.run("restore", str(path), "--replace").code == 0
        assert contents(folder) == before
    assert [p.name for p in here.folder.iterdir() if "backup" in p.name] == ["all.backup"]


def test_the_held_generation_is_left_out_and_that_is_said(here: Place, folder: Folder) -> None:
    newest = contents(folder)
    assert here.run("generations", "--use", "1").code == 0
    assert "not the one that is held" in here.run("backup", "all.backup").err
    assert here.run("restore", "all.backup", "--replace").code == 0
    assert contents(folder) == newest


def test_a_backup_holds_neither_deleted_texts_nor_what_a_running_ingest_has_staged(here: Place, folder: Folder) -> None:
    before = contents(folder)
    with writer.opened(here.folder / STATE, "c") as index:
        index.begin(["secret.txt"])
        index.stage([staged(index, "secret.txt", "xyzzysecret is staged")])
        path = backed_up(here)
        with closing(reading.begun(here.folder / STATE / "catalog.sqlite")) as connection:
            assert connection.execute("SELECT count(*) FROM contents WHERE text LIKE '%xyzzy%'").fetchone()[0] == 1
    assert b"xyzzysecret" not in path.read_bytes()
    assert b"ale bee ale bee" not in path.read_bytes(), "the text of the generation before"
    assert here.run("restore", str(path), "--replace").code == 0
    assert contents(folder) == before
    assert here.run("status", "--json").json["collections"][0]["interrupted_run"] is None


def test_a_reader_keeps_its_generation_while_another_is_restored(here: Place, folder: Folder) -> None:
    path = backed_up(here)
    folder.write("a.txt", b"newer words")
    folder.ingest()
    with snapshot.searchable(here.folder / STATE) as opened:
        assert opened is not None
        assert here.run("restore", str(path), "--replace").code == 0
        assert "newer words" in [passage.text for passage in opened.passages(range(len(opened)))]
    assert here.run("search", "newer", "--mode", "keyword").code == 4


def test_a_collection_that_is_being_written_is_not_restored(here: Place) -> None:
    path = backed_up(here)
    with writer.opened(here.folder / STATE, "c"):
        assert here.run("restore", str(path), "--replace").code == 5


class Stopped(BaseException):
    """Stands for a process that dies."""


def strike(at: int, exception: BaseException) -> list[str]:
    """Let the call number `at` of the disk fail; the calls so far."""
    calls: list[str] = []

    def fault(operation: str) -> None:
        calls.append(operation)
        if len(calls) == at + 1:
            raise exception

    disk.inject(fault)
    return calls


@pytest.mark.parametrize(("exception", "step"), [(Stopped(), 1), (OSError(28, "No space left on device"), 5)])
def test_a_restore_that_ends_anywhere_leaves_the_old_index_or_the_new(
    here: Place, folder: Folder, exception: BaseException, step: int
) -> None:
    path, old = backed_up(here), contents(folder)
    folder.write("a.txt", b"newer words")
    folder.ingest()
    new = contents(folder)
    newer = backed_up(here, "newer.backup")
    outcomes, at, ended = set(), 0, False
    while not ended:
        calls = strike(at, exception)
        try:
            with suppress(Stopped):
                code = here.run("restore", str(path), "--replace", "--json").code
                ended = code == 0 and len(calls) <= at
                assert code in (0, 1)
        finally:
            disk.inject(None)
        found = contents(folder)
        assert found in (old, new), calls[-1]
        outcomes.add(found == old)
        if found == old:
            assert here.run("restore", str(newer), "--replace", "--quiet").code == 0
        at += step
    assert outcomes == {True, False}
    assert at > 20
    assert not (here.folder / STATE / "restored.sqlite").exists()


def test_a_backup_that_ends_anywhere_leaves_the_file_as_it_was_or_whole(here: Place, folder: Folder) -> None:
    path = backed_up(here)
    folder.write("a.txt", b"newer words")
    folder.ingest()
    generations, at = set(), 0
    while len(generations) < 2:
        strike(at, Stopped())
        with suppress(Stopped):
            here.run("backup", str(path), "--replace")
        disk.inject(None)
        with archive.opened(path) as backup:
            backup.check()
            generations.add(backup.entries[0].generation)
        at += 1
    assert generations == {2, 3}
    assert sorted(p.name for p in here.folder.iterdir() if "backup" in p.name) == ["all.backup"]


def test_a_full_disk_is_one_sentence(here: Place) -> None:
    strike(1, OSError(28, "No space left on device"))
    ended: Ended = here.run("backup", "all.backup", "--json")
    disk.inject(None)
    assert (ended.code, ended.json["error"]["kind"]) == (1, "disk-full")
    assert not (here.folder / "all.backup").exists()
