"""Any file of an index cut, emptied, overwritten or gone: the next command says so, or answers as before."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store import audit
from store.digests import DIGESTED
from store.schema import MIGRATIONS
from tests.property.folder import use
from tests.support.embedder import HashedWords
from tests.unit import spoiling
from tests.unit.cli_workspace import Ended, Place
from tests.unit.spoiling import KINDS, STATE, plain

LOOKING = (("keywords", "bee"), ("show", "b.md"), ("files",), ("status",))
SEARCH = ("search", "bee cod elm", "--mode", "hybrid")
ASK = ("ask", "where is the bee", "--no-log", "--set", "synthesis.model=extractive")
INGEST = ("ingest",)
EVERY = (*LOOKING, SEARCH, ASK, INGEST)
FILES = (
    "catalog.sqlite", "catalog.sqlite-shm", "catalog.sqlite-wal", "derived/keywords-00000001.bin",
    "derived/keywords-00000002.bin", "derived/rows-00000001.bin", "derived/rows-00000002.bin",
    "derived/vectors-00000001.bin", "derived/vectors-00000002.bin", "lock", "seal.json",
)  # fmt: skip
NEEDED = {name for name in FILES if name.startswith("derived/") and name not in (FILES[3], FILES[5])}
FLIPS = 48


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Workspaces to copy: one whose writer ended, one whose writer was killed after it published."""
    place = tmp_path_factory.mktemp("states")
    with pytest.MonkeyPatch.context() as patch:
        use(patch, HashedWords())
        spoiling.made(place / "ended")
        spoiling.made_and_killed(place / "made", place / "killed")
    return {"ended": place / "ended", "killed": place / "killed"}


class Here:
    """Copies of a workspace, with one model for all of them."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str], embedder: HashedWords) -> None:
        self.folder = folder
        self.capture = capture
        self.embedder = embedder
        self.copies = 0

    def copy(self, state: Path) -> Place:
        self.copies += 1
        target = self.folder / str(self.copies)
        shutil.copytree(state, target)
        os.chdir(target)
        return Place(target, self.capture)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.chdir(tmp_path)
    embedder = HashedWords()
    use(monkeypatch, embedder)
    return Here(tmp_path, capsys, embedder)


@pytest.fixture(scope="module")
def right() -> dict[tuple[str, ...], Any]:
    """What commands answer on a sound index, once asked."""
    return {}


def refused(ended: Ended) -> bool:
    """Whether a command ended by saying that the index is damaged, and how to go on."""
    if ended.code != 1:
        return False
    assert "is damaged" in ended.out, ended
    assert "`wherein ingest c --rebuild`" in ended.out, ended
    return True


def check(here: Here, place: Place, state: Path, right: dict[tuple[str, ...], Any], command: tuple[str, ...]) -> bool:
    """Run a command on a spoilt index: True if it refused, else it answered as on a sound one."""
    if command not in right:
        right[command] = plain(here.copy(state).run(*command, "--json").json)
        os.chdir(place.folder)
    ended = place.run(*command, "--json")
    if refused(ended):
        return True
    assert ended.code == 0, ended
    assert plain(ended.json) == right[command], command
    return False


def test_these_are_the_files_of_an_index(states: dict[str, Path]) -> None:
    index = states["killed"] / STATE
    assert sorted(str(path.relative_to(index)) for path in index.rglob("*") if path.is_file()) == list(FILES)
    assert (index / "catalog.sqlite-wal").stat().st_size > 0


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("spoil", KINDS)
def test_no_damage_of_a_file_gives_a_wrong_answer(
    here: Here, states: dict[str, Path], right: Any, spoil: Callable[[Path], None], name: str
) -> None:
    state = states["killed"]
    for commands in (LOOKING, (SEARCH,), (INGEST, SEARCH), *([(ASK,)] if spoil is spoiling.gone else [])):
        place = here.copy(state)
        spoil(place.folder / STATE / name)
        for command in commands:
            if check(here, place, state, right, command):
                assert name.startswith("catalog.sqlite"), f"{name} was refused"
    assert here.embedder.sent_texts == [], "a model was called"


@pytest.mark.parametrize("spoil", KINDS)
def test_a_catalog_spoilt_at_rest_is_refused_by_every_command_and_built_anew_on_demand(
    here: Here, states: dict[str, Path], right: Any, spoil: Callable[[Path], None]
) -> None:
    place = here.copy(states["ended"])
    spoil(place.folder / STATE / "catalog.sqlite")
    for command in EVERY:
        assert check(here, place, states["ended"], right, command), command
    assert place.run("ingest", "--rebuild", "--quiet").code == 0
    for command in (*LOOKING, SEARCH, ASK):
        assert not check(here, place, states["ended"], right, command), command


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_what_is_damaged_and_what_is_done_is_said(here: Here, states: dict[str, Path], name: str) -> None:
    file = Path(name).name
    for command in EVERY:
        place = here.copy(states["ended"])
        spoiling.cut(place.folder / STATE / name)
        ended = place.run(*command)
        said = ended.out + ended.err
        assert ended.code == 0
        assert f"{file} is cut or altered" in said
        assert "from the catalog" in said
    assert here.embedder.sent_texts == []


def test_the_embeddings_of_a_damaged_catalog_are_saved_as_far_as_they_are_whole(
    here: Here, states: dict[str, Path]
) -> None:
    place = here.copy(states["ended"])
    with closing(sqlite3.connect(place.folder / STATE / "catalog.sqlite")) as connection, connection:
        connection.execute(CHANGES["vectors"])
        total = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    assert refused(place.run("search", "bee", "--json"))
    ended = place.run("ingest", "--rebuild")
    assert f"{total - 1} embeddings in it were whole" in ended.err
    assert len(here.embedder.sent_texts) <= 1


def bits(path: Path) -> list[int]:
    """Some bits of a file, where it is not empty space."""
    content, chance = path.read_bytes(), random.Random(7)
    used = [place for place, byte in enumerate(content) if byte]
    return [8 * place + chance.randrange(8) for place in sorted(chance.sample(used, FLIPS))]


def test_a_flipped_bit_anywhere_in_the_catalog_is_found_or_harmless(
    here: Here, states: dict[str, Path], right: Any
) -> None:
    place, found = here.copy(states["ended"]), 0
    catalog = place.folder / STATE / "catalog.sqlite"
    for bit in bits(catalog):
        spoiling.flip(catalog, bit)
        outcomes = {check(here, place, states["ended"], right, command) for command in (SEARCH, *LOOKING[:3])}
        assert len(outcomes) == 1
        found += outcomes.pop()
        spoiling.flip(catalog, bit)
    assert found > FLIPS // 3
    assert not check(here, place, states["ended"], right, SEARCH)


CHANGES = {
    "meta": "UPDATE meta SET value = '7' WHERE key = 'scan_started_ns'",
    "generations": "UPDATE generations SET settings = '{}' WHERE number = 2",
    "files": "UPDATE files SET path = 'e.txt' WHERE path = 'd.txt'",
    "chunks": "UPDATE chunks SET line_start = line_start + 1 WHERE id = (SELECT max(id) FROM chunks)",
    "vectors": "UPDATE vectors SET vector = zeroblob(64) WHERE id = 1",
    "contents": "UPDATE contents SET text = 'x' WHERE id = 1",
    "a file gone": "DELETE FROM files WHERE path = 'b.md'",
    "a file ended": "UPDATE files SET died = 2 WHERE path = 'b.md'",
    "a passage gone": "DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_row_that_its_writer_did_not_write_is_found(here: Here, states: dict[str, Path], change: str) -> None:
    place = here.copy(states["ended"])
    with closing(sqlite3.connect(place.folder / STATE / "catalog.sqlite")) as connection, connection:
        assert connection.execute(change).rowcount == 1
    for command in (SEARCH, ("status",), ("files",), INGEST):
        assert refused(place.run(*command, "--json")), command


def test_a_catalog_of_a_newer_version_is_left_alone(here: Here, states: dict[str, Path]) -> None:
    place = here.copy(states["ended"])
    with closing(sqlite3.connect(place.folder / STATE / "catalog.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    for command in (*EVERY, ("ingest", "--rebuild")):
        ended = place.run(*command, "--json")
        assert (ended.code, "newer version" in ended.out, "upgrade wherein" in ended.out) == (1, True, True), command
    with closing(sqlite3.connect(place.folder / STATE / "catalog.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS) + 1


def test_a_catalog_of_an_older_version_is_brought_up_by_ingest_without_a_model_call(
    here: Here, states: dict[str, Path], right: Any
) -> None:
    place = here.copy(states["ended"])
    with closing(sqlite3.connect(place.folder / STATE / "catalog.sqlite")) as connection:
        for rows in DIGESTED:
            connection.execute(f"ALTER TABLE {rows.table} DROP COLUMN digest")
        connection.execute("PRAGMA user_version = 1")
    for command in (SEARCH, *LOOKING):
        ended = place.run(*command, "--json")
        assert (ended.code, "older version" in ended.out, "`wherein ingest c`" in ended.out) == (1, True, True), command
    assert place.run("ingest").code == 0
    assert not check(here, place, states["ended"], right, SEARCH)
    assert here.embedder.sent_texts == []


def test_an_index_is_read_as_a_whole_only_where_others_than_its_writer_touched_it(
    here: Here, states: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []
    findings = audit.findings
    monkeypatch.setattr(audit, "findings", lambda connection: asked.append(None) or findings(connection))
    place = here.copy(states["ended"])
    assert place.run("status").code == place.run(*SEARCH).code == place.run(*INGEST).code == 0
    assert len(asked) == 1, "a copy is checked once"
    for command in (*EVERY, ("purge",), SEARCH, ("generations",), INGEST):
        assert place.run(*command).code == 0
    assert len(asked) == 1
