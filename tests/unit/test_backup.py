"""`wherein backup` and `restore`: what comes back is what was there, and nothing else is ever put in its place."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store import archive, disk, reading, snapshot, writer
from store.errors import WhereinError
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.unit import spoiling
from tests.unit.cli_workspace import Ended, Place, collections
from tests.unit.spoiling import STATE


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashedWords:
    model = HashedWords()
    use(monkeypatch, model)
    return model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: HashedWords) -> Folder:
    monkeypatch.chdir(tmp_path)
    return spoiling.made(tmp_path)


@pytest.fixture
def here(folder: Folder, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(folder.place, capsys)


def backed_up(here: Place, name: str = "all.backup", *arguments: str) -> Path:
    ended = here.run("backup", name, "--json", *arguments)
    assert ended.code == 0, ended
    return here.folder / name


def contents(folder: Folder) -> Any:
    return folder.state(), folder.answers()


def refused(here: Place, path: Path, *arguments: str) -> str:
    """The one sentence with which a restore ends; the index is what it was before."""
    before = index_bytes(here)
    ended = here.run("restore", str(path), "--json", *arguments)
    assert (ended.code in (1, 2), list(ended.json)) == (True, ["error"]), ended
    assert ended.json["error"]["kind"] in ("backup", "exists", "collection", "version"), ended
    assert index_bytes(here) == before
    message: str = ended.json["error"]["message"]
    assert "Unexpected" not in message
    return message


def index_bytes(here: Place) -> dict[str, bytes]:
    index = here.folder / STATE
    left_aside = ("lock", "seal.json", "catalog.sqlite-shm", "catalog.sqlite-wal")
    return {str(p): p.read_bytes() for p in index.rglob("*") if p.is_file() and p.name not in left_aside}


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
        from tests.unit.cli_workspace import staged

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


def test_a_cut_backup_is_refused(here: Place) -> None:
    path = backed_up(here)
    whole = path.read_bytes()
    for size in (0, 1, 21, 22, 100, 1000, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert str(path) in refused(here, path, "--replace")


def test_a_flipped_bit_of_a_backup_is_found_or_harmless(here: Place) -> None:
    path = backed_up(here)
    whole = path.read_bytes()
    used = [place for place, byte in enumerate(whole) if byte]
    with archive.opened(path) as backup:
        entries = backup.entries
    wrong = 0
    for place in [*used[:400], *used[400:-400:97], *used[-400:]]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            with archive.opened(path) as backup:
                backup.check()
                assert [replace(e, files=0, chunks=0, generation=0) for e in backup.entries] == [
                    replace(e, files=0, chunks=0, generation=0) for e in entries
                ]
        except WhereinError as error:
            assert error.kind in ("backup", "version")
            wrong += 1
    assert wrong > 500


Change = Callable[[list[dict[str, Any]], dict[str, Any]], None]


def forged(path: Path, change: Change | None = None, **options: Any) -> None:
    """The same backup written by somebody who knows the format; `change` gets its collections and its manifest."""
    with zipfile.ZipFile(path) as old:
        manifest = json.loads(old.read("manifest.json"))
        catalog = old.read("0.sqlite")
    if change is not None:
        change(manifest["collections"], manifest)
    with zipfile.ZipFile(path, "w", options.get("compression", zipfile.ZIP_STORED)) as new:
        new.writestr("manifest.json", options.get("manifest", json.dumps(manifest)))
        new.writestr(options.get("name", "0.sqlite"), options.get("catalog", catalog))
        for name in options.get("more", ()):
            new.writestr(name, b"x")


FORGED: dict[str, dict[str, Any]] = {
    "path traversal": {"name": "../../../evil.sqlite"},
    "absolute path": {"name": "/tmp/evil.sqlite"},
    "more entries": {"more": ["evil"]},
    "an entry twice": {"more": ["0.sqlite"]},
    "compressed": {"compression": zipfile.ZIP_DEFLATED, "catalog": b"\0" * 50_000_000},
    "no json": {"manifest": b"{"},
    "deep json": {"manifest": b"[" * 100_000},
    "huge manifest": {"manifest": b" " * 2_000_000},
    "a list": {"manifest": b"[]"},
    "other format": {"change": lambda entries, manifest: manifest.update(format="x")},
    "newer format": {"change": lambda entries, manifest: manifest.update(version=2)},
    "no collection": {"change": lambda entries, manifest: entries.clear()},
    "twice the same": {"change": lambda entries, manifest: entries.append(entries[0])},
    "a type": {"change": lambda entries, manifest: entries[0].update(files="4")},
    "a digest": {"change": lambda entries, manifest: entries[0].update(sha256="0" * 64)},
    "a size": {"change": lambda entries, manifest: entries[0].update(size_bytes=1)},
    "another field": {"change": lambda entries, manifest: entries[0].update(evil=1)},
    "a name": {"change": lambda entries, manifest: entries[0].update(collection="../../evil")},
}


@pytest.mark.parametrize("options", FORGED.values(), ids=FORGED)
def test_a_hostile_or_foreign_zip_is_refused(here: Place, options: dict[str, Any], recwarn: Any) -> None:
    path = backed_up(here)
    forged(path, **options)
    refused(here, path, "--replace")
    assert not list(here.folder.parent.glob("evil*"))


@pytest.mark.parametrize("content", [b"PK", b"no backup at all " * 100, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_of_another_kind_is_refused(here: Place, content: bytes) -> None:
    path = here.folder / "foreign"
    path.write_bytes(content)
    assert "is not a whole backup" in refused(here, path, "--replace")
    assert "foreign" in refused(here, here.folder / "foreign", "--replace")


CATALOGS = {
    "newer schema": "PRAGMA user_version = 99",
    "no schema": "PRAGMA user_version = 0",
    "a trigger": "CREATE TRIGGER t AFTER DELETE ON files BEGIN DELETE FROM contents; END",
    "a view": "CREATE VIEW v AS SELECT * FROM files",
    "a changed text": "UPDATE contents SET text = 'evil'",
    "no generation": "DELETE FROM generations",
    "nothing current": "DELETE FROM meta",
    "another file": "DROP TABLE chunks",
}


@pytest.mark.parametrize("statement", CATALOGS.values(), ids=CATALOGS)
def test_a_catalog_that_its_writer_did_not_write_is_refused_whatever_the_digests_say(
    here: Place, statement: str
) -> None:
    import hashlib

    path, place = backed_up(here), here.folder / "forged.sqlite"
    with zipfile.ZipFile(path) as old:
        place.write_bytes(old.read("0.sqlite"))
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(statement)
    content = place.read_bytes()

    def digested(entries: list[dict[str, Any]], _manifest: dict[str, Any]) -> None:
        entries[0].update(sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))

    forged(path, digested, catalog=content)
    refused(here, path, "--replace")


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
