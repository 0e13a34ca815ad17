"""`wherein generations`, `--use`, and `purge`: what is kept, what is read, and what is nowhere any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store import reading, writer
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.unit.cli_workspace import Ended, Place, collections

STATE = Path(".wherein") / "collections" / "c"
SECRET = "xyzzysecret"


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashedWords:
    model = HashedWords()
    use(monkeypatch, model)
    return model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: HashedWords) -> Folder:
    """Three generations of a file, of which two are kept."""
    monkeypatch.chdir(tmp_path)
    made = Folder(tmp_path)
    made.write("still.txt", b"a steady elm")
    for number in (1, 2, 3):
        made.write("a.txt", f"wording number {number}".encode())
        made.ingest()
    return made


@pytest.fixture
def here(folder: Folder, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(folder.place, capsys)


def listed(here: Place, *arguments: str) -> list[dict[str, Any]]:
    ended = here.run("generations", "--json", *arguments)
    assert ended.code == 0, ended
    found: list[dict[str, Any]] = ended.json
    return found


def read(here: Place) -> str:
    """The text of a.txt, by every command that reads it; they agree."""
    shown = here.run("show", "a.txt", "--json").json["text"]
    hits = here.run("search", "wording", "--mode", "keyword", "--json").json["hits"]
    (line,) = here.run("keywords", "wording", "--json").json["hits"]
    assert [hit["text"] for hit in hits] == [line["text"]] == [shown]
    return str(shown)


def test_generations_are_listed_with_date_and_size_and_what_is_read(here: Place) -> None:
    second, third = listed(here)
    assert (second["number"], third["number"]) == (2, 3)
    assert (second["in_use"], third["in_use"], third["held"]) == (False, True, False)
    assert second["published_at"] <= third["published_at"]
    assert (third["files"], third["chunks"]) == (2, 2)
    derived = (here.folder / STATE / "derived").glob("*")
    own = {path.name: path.stat().st_size for path in derived if path.name.startswith(("rows", "keywords"))}
    assert sum(own.values()) < second["size_bytes"] + third["size_bytes"]
    assert all(own[f"rows-0000000{entry['number']}.bin"] < entry["size_bytes"] for entry in (second, third))
    assert "in use" in here.run("generations").out


def test_one_goes_back_and_stays_there_whatever_is_ingested(here: Place, folder: Folder) -> None:
    assert [entry["held"] for entry in listed(here, "--use", "2")] == [True, False]
    assert read(here) == "wording number 2"
    for number in range(4, 9):
        folder.write("a.txt", f"wording number {number}".encode())
        ended = here.run("ingest")
        assert (ended.code, "generation 2, which is held" in ended.err) == (0, True)
    assert [entry["number"] for entry in listed(here)] == [2, 7, 8]
    assert read(here) == "wording number 2"
    (status,) = here.run("status", "--json").json["collections"]
    assert (status["generation"], status["held"], status["newest"]) == (2, True, 8)
    assert "is held" in here.run("status").out
    search = here.run("search", "wording", "--json").json
    assert search["generations"] == {"c": 2}
    assert any("generation 2 is read until" in note for note in search["notes"])
    assert [entry["number"] for entry in listed(here, "--use", "latest")] == [7, 8]
    assert read(here) == "wording number 8"
    assert "held" not in here.run("ingest").err


def test_a_held_generation_that_is_the_newest_stays_when_others_come(here: Place, folder: Folder) -> None:
    listed(here, "--use", "3")
    folder.write("a.txt", b"wording number 4")
    folder.ingest()
    assert read(here) == "wording number 3"


@pytest.mark.parametrize("number", [2, 3])
def test_a_held_generation_is_derived_again_without_a_model_call(
    here: Place, folder: Folder, embedder: HashedWords, number: int
) -> None:
    listed(here, "--use", str(number))
    for turn in range(4, 8):
        folder.write("a.txt", f"wording number {turn}".encode())
        folder.ingest()
    before = len(embedder.sent_texts)
    for path in sorted((here.folder / STATE / "derived").iterdir()):
        path.unlink()
    ended = here.run("search", "wording", "--json")
    assert any("rebuilt from the catalog" in note for note in ended.json["notes"])
    assert read(here) == f"wording number {number}"
    assert here.run("ingest").code == 0
    folder.write("a.txt", b"wording number 8")
    assert here.run("ingest").code == 0
    assert read(here) == f"wording number {number}"
    listed(here, "--use", "latest")
    assert read(here) == "wording number 8"
    assert len(embedder.sent_texts) == before + 1


def test_an_older_generation_whose_files_are_gone_can_be_gone_back_to(here: Place, embedder: HashedWords) -> None:
    (here.folder / STATE / "derived" / "rows-00000002.bin").unlink()
    before = len(embedder.sent_texts)
    listed(here, "--use", "2")
    assert read(here) == "wording number 2"
    assert len(embedder.sent_texts) == before


def test_what_only_generations_between_showed_does_not_stay_with_a_held_one(here: Place, folder: Folder) -> None:
    listed(here, "--use", "2")
    for text in (SECRET, "harmless", "harmless too", "harmless again"):
        folder.write("a.txt", text.encode())
        folder.ingest()
    with writer.opened(here.folder / STATE, "c") as index:
        texts = [row[0] for row in index.connection.execute("SELECT text FROM contents")]
    assert SECRET not in texts
    assert "wording number 2" in texts


@pytest.mark.parametrize("wanted", ["7", "1", "0", "x", "", "-1", "²"])
def test_a_generation_that_there_is_not_is_wrong_usage(here: Place, wanted: str) -> None:
    ended = here.run("generations", f"--use={wanted}")
    assert (ended.code, ended.out) == (2, "")
    assert read(here) == "wording number 3"


def test_a_number_is_for_one_collection(here: Place) -> None:
    here.settings(collections({"c": "files", "d": "files"}))
    assert here.run("generations", "--use", "2").code == 0, "only one is indexed"
    assert here.run("generations", "--use", "latest").code == 0
    assert here.run("ingest", "d").code == 0
    assert here.run("generations", "--use", "2").code == 2
    assert here.run("generations", "--use", "2", "--collection", "c").code == 0
    assert not (here.folder / ".wherein" / "collections" / "e").exists()


def test_without_an_index_nothing_is_made(place_without_index: Place) -> None:
    for arguments in ((), ("--use", "1"), ("--use", "latest")):
        assert place_without_index.run("generations", *arguments).code == 1
    assert not (place_without_index.folder / STATE).exists()


@pytest.fixture
def place_without_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    place = Place(tmp_path, capsys)
    place.settings(collections({"c": "files"}))
    return place


def test_a_writer_in_the_way_is_told(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.hold.hold.__defaults__", (0.0,))
    with writer.opened(here.folder / STATE, "c"):
        assert here.run("generations", "--use", "2").code == 5
    assert listed(here)[-1]["in_use"]


def holds(folder: Path, word: str) -> list[str]:
    """The files below a folder that hold a word in any usual encoding."""
    forms = [word.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le")]
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [str(path) for path in paths if any(form in path.read_bytes().lower() for form in forms)]


@pytest.fixture
def secret(folder: Folder, here: Place) -> Iterator[Place]:
    """A text, its name and its words that were indexed for some generations, and are then deleted."""
    folder.write(f"{SECRET}.md", f"# {SECRET} title\n\nthe {SECRET}token is here\n".encode() * 40)
    folder.ingest()
    folder.write("a.txt", b"wording number 4")
    folder.ingest()
    assert holds(here.folder / ".wherein", SECRET)
    (folder.files / f"{SECRET}.md").unlink()
    yield here


def test_purging_leaves_a_deleted_text_nowhere(secret: Place) -> None:
    assert secret.run("ingest").code == 0
    assert holds(secret.folder / ".wherein", SECRET)
    assert secret.run("purge").code == 0
    assert holds(secret.folder / ".wherein", SECRET) == []
    assert [entry["number"] for entry in listed(secret)] == [7]
    assert read(secret) == "wording number 4"


def test_purging_is_refused_while_a_generation_is_held_and_thorough_after(secret: Place) -> None:
    listed(secret, "--use", "5")
    assert secret.run("ingest").code == 0
    ended = secret.run("purge", "--json")
    assert (ended.code, ended.json["error"]["kind"]) == (1, "held")
    assert "--use latest" in ended.out
    assert secret.run("search", SECRET, "--mode", "keyword", "--json").json["hits"]
    listed(secret, "--use", "latest")
    assert secret.run("purge").code == 0
    assert holds(secret.folder / ".wherein", SECRET) == []


def test_a_reader_in_the_way_of_purging_is_told_and_purging_again_is_thorough(
    secret: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert secret.run("ingest").code == 0
    monkeypatch.setattr("store.purge.purge.__defaults__", (0.05,))
    reader = reading.begun(secret.folder / STATE / "catalog.sqlite")
    ended: Ended = secret.run("purge")
    assert (ended.code, "being read" in ended.err) == (5, True)
    reader.close()
    assert secret.run("purge").code == 0
    assert holds(secret.folder / ".wherein", SECRET) == []


def test_space_of_old_generations_is_given_back(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.publish._SPARSE_BYTES", 10_000)
    index = folder.place / STATE
    for name in range(30):
        folder.write(f"many/{name}.txt", f"dull word {name} ".encode() * 400)
    folder.ingest()
    large = (index / "catalog.sqlite").stat().st_size
    for name in range(30):
        (folder.files / "many" / f"{name}.txt").unlink()
    for number in (5, 6, 7):
        folder.write("a.txt", f"wording number {number}".encode())
        folder.ingest()
    assert (index / "catalog.sqlite").stat().st_size < large / 2
    assert len(list((index / "derived").iterdir())) <= 8
