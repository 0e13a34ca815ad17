"""`wherein doctor --deep`: what is damaged or does not agree is one line with the way out, and the way out works."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from store import catalog, container, digests
from store.digests import GENERATIONS, VECTORS
from store.embeddings import text_key
from store.examine import examine
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.unit import spoiling
from tests.unit.cli_workspace import Ended, Place
from tests.unit.spoiling import STATE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    use(monkeypatch, HashedWords())
    monkeypatch.chdir(tmp_path)
    return spoiling.made(tmp_path)


@pytest.fixture
def here(folder: Folder, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(folder.place, capsys)


@contextmanager
def altered(folder: Folder) -> Iterator[sqlite3.Connection]:
    """The catalog, to be changed as a faulty writer would change it: digests and all."""
    with closing(sqlite3.connect(folder.place / STATE / "catalog.sqlite")) as connection, connection:
        digests.register(connection)
        yield connection


def broken(ended: Ended) -> list[str]:
    return [check["detail"] for check in ended.json["checks"] if check["state"] == "broken"]


def doctor(here: Place) -> Ended:
    return here.run("doctor", "--deep", "--json")


def mended(here: Place, *way_out: str) -> None:
    assert here.run(*way_out).code == 0
    assert broken(doctor(here)) == []


def test_a_sound_index_has_no_findings(here: Place) -> None:
    assert list(examine(here.folder / STATE)) == []
    ended = doctor(here)
    assert (ended.code, broken(ended)) == (0, [])
    assert "every byte" in here.run("doctor", "--deep").out


def test_without_an_index_there_is_nothing_to_find(here: Place) -> None:
    here.settings('[collections.other]\npath = "files"\n')
    assert doctor(here).code == 0


@pytest.mark.parametrize("name", ["rows-00000002.bin", "keywords-00000002.bin", "vectors-00000001.bin"])
def test_a_derived_file_is_digested_whatever_its_stat_says(here: Place, name: str) -> None:
    path = here.folder / STATE / "derived" / name
    spoiling.flip(path, 8 * (path.stat().st_size - 100))
    ended = doctor(here)
    (detail, *others) = broken(ended)
    assert (ended.code, all(name.startswith("vectors") for _ in others)) == (1, True)
    assert f"generation 2: {name} is damaged" in detail
    assert "`wherein ingest c --rebuild`" in detail
    assert here.run("ingest", "--rebuild").code == 0
    assert here.run("purge").code == 0
    assert broken(doctor(here)) == []


def test_an_old_generation_that_is_damaged_is_dropped_by_purging(here: Place) -> None:
    (here.folder / STATE / "derived" / "rows-00000001.bin").unlink()
    (detail,) = broken(doctor(here))
    assert "generation 1: rows-00000001.bin is damaged: nothing reads it now" in detail
    mended(here, "purge")


FAULTS = {
    "text": ("UPDATE contents SET text = 'x' WHERE id = 2", "the text of b.md does not match its digest"),
    "path": ("UPDATE files SET path = 'e.txt' WHERE path = 'd.txt'", "what is recorded of e.txt"),
    "passage": ("UPDATE chunks SET line_end = 99 WHERE id = 3", "passage "),
    "vector": ("UPDATE vectors SET vector = zeroblob(64) WHERE id = 1", "embedding 1 does not match its digest"),
    "count": ("UPDATE files SET died = 2 WHERE path = 'b.md'", "generation 2 shows"),
    "orphan": ("DELETE FROM embeddings WHERE id = 1", "passages without an embedding"),
    "schema": ("DROP INDEX chunks_text", "its tables are not those"),
}


@pytest.mark.parametrize(("change", "said"), FAULTS.values(), ids=FAULTS)
def test_a_catalog_that_does_not_agree_is_found_and_built_anew(here: Place, change: str, said: str) -> None:
    with closing(sqlite3.connect(here.folder / STATE / "catalog.sqlite")) as connection, connection:
        connection.execute(change)
    found = broken(doctor(here))
    assert any(said in detail for detail in found), found
    assert all("`wherein ingest c --rebuild`" in detail for detail in found)
    mended(here, "ingest", "--rebuild")


def test_several_findings_are_a_line_each(here: Place) -> None:
    with closing(sqlite3.connect(here.folder / STATE / "catalog.sqlite")) as connection, connection:
        connection.execute(FAULTS["path"][0])
        connection.execute(FAULTS["vector"][0])
    ended = here.run("doctor", "--deep")
    assert ended.code == 1
    assert len([line for line in ended.out.splitlines() if line.startswith("broken")]) == len(broken(doctor(here))) >= 2


def rewritten(folder: Folder, prefix: str, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    """A derived file of the last generation with other contents, and recorded as if it belonged so."""
    derived = folder.place / STATE / "derived"
    path = max(derived.glob(f"{prefix}*"))
    whole = container.Container(path)
    arrays = {name: array.copy() for name, array in whole.arrays.items()}
    change(arrays)
    written = container.write(path, whole.meta, arrays)
    with altered(folder) as connection:
        ((entries,),) = connection.execute("SELECT derived FROM generations WHERE number = 2").fetchall()
        known = {**json.loads(entries), path.name: dataclasses.asdict(written)}
        connection.execute("UPDATE generations SET derived = ? WHERE number = 2", (json.dumps(known),))
        connection.execute(GENERATIONS.update("number = 2"))


def swap_files(arrays: dict[str, np.ndarray]) -> None:
    arrays["file"][0] = arrays["file"][-1]


def count_more(arrays: dict[str, np.ndarray]) -> None:
    arrays["counts"][0] += 1


def turn(arrays: dict[str, np.ndarray]) -> None:
    arrays["vectors"][0] = -arrays["vectors"][0]


@pytest.mark.parametrize(
    ("prefix", "change", "said"),
    [("rows", swap_files, "rows"), ("keywords", count_more, "keyword index"), ("vectors", turn, "1 vectors")],
)
def test_a_whole_file_that_says_something_else_than_the_catalog_is_found(
    here: Place, folder: Folder, prefix: str, change: Callable[[dict[str, np.ndarray]], None], said: str
) -> None:
    rewritten(folder, prefix, change)
    (detail,) = broken(doctor(here))
    assert said in detail
    assert "not th" in detail
    assert here.run("ingest", "--rebuild").code == here.run("purge").code == 0
    assert broken(doctor(here)) == []


@pytest.mark.parametrize("value", [2.0, float("nan")])
def test_an_embedding_that_is_no_unit_vector_is_found_and_embedded_again(
    here: Place, folder: Folder, value: float
) -> None:
    with altered(folder) as connection:
        size = len(connection.execute("SELECT vector FROM vectors").fetchone()[0]) // 4
        wrong = np.full(size, value, dtype="<f4").tobytes()
        connection.execute("UPDATE vectors SET vector = ? WHERE id = 8", (wrong,))
        connection.execute(VECTORS.update("id = 8"))
    found = broken(doctor(here))
    assert any("1 embeddings are not of unit length" in detail and "--forget" in detail for detail in found), found
    assert here.run("ingest", "--rebuild", "--forget").code == here.run("purge").code == 0
    assert broken(doctor(here)) == []


def test_a_passage_that_its_text_does_not_hold_is_found(here: Place, folder: Folder) -> None:
    with altered(folder) as connection:
        connection.execute("UPDATE contents SET text = 'x', key = ? WHERE id = 2", (text_key("x"),))
    assert any("a passage of" in detail for detail in broken(doctor(here)))


def test_a_damaged_answer_log_is_found(here: Place) -> None:
    path = here.folder / ".wherein" / "log.sqlite"
    path.write_bytes(b"no database" * 100)
    (detail,) = broken(doctor(here))
    assert "log.sqlite is damaged" in detail
    path.unlink()
    assert doctor(here).code == 0


def test_a_held_generation_is_in_use(here: Place, folder: Folder) -> None:
    with altered(folder) as connection:
        catalog.put(connection, "use", 1)
    (here.folder / STATE / "derived" / "rows-00000001.bin").unlink()
    (detail,) = broken(doctor(here))
    assert "nothing reads it" not in detail
