"""Writer, publish and snapshot together: what is staged is unseen until published, and then whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from store import catalog, reading, snapshot, trust, writer
from store.embeddings import embedding_key, text_key
from store.errors import BUSY, WhereinError
from store.files import StagedChunk, StagedFile
from store.records import FileStat, Span
from store.writer import Writer

SHAPE = {"embedding": {"fingerprint": "f"}, "dates": []}


def vector(text: str) -> bytes:
    row = np.random.default_rng(sum(text.encode())).normal(size=8)
    return (row / np.linalg.norm(row)).astype("<f4").tobytes()


def put(index: Writer, path: str, *texts: str) -> None:
    """Stage a file whose chunks are the given texts, one a line."""
    whole = "\n".join(texts)
    keys = [embedding_key("f", t) for t in texts]
    known = index.known(keys)
    new = {key: vector(text) for key, text in zip(keys, texts, strict=True) if key not in known}
    ids = known | index.remember(new)
    chunks, start = [], 0
    for line, (text, key) in enumerate(zip(texts, keys, strict=True), 1):
        span = Span(start, start + len(text), line, line, None)
        terms = {w: text.split().count(w) for w in set(text.split())}
        chunks.append(StagedChunk(span, text_key(text), ids[key], terms))
        start += len(text) + 1
    old = index.live().get(path)
    index.stage(
        [
            StagedFile(
                FileStat(path, len(whole), 1, 1, 1),
                whole,
                "indexed",
                text=whole,
                language="en",
                chunks=chunks,
                replaces=old,
            )
        ]
    )


def texts(folder: Path) -> list[str]:
    with snapshot.opened(folder) as opened:
        assert opened is not None
        return [p.text for p in opened.passages(range(len(opened)))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "collections" / "c"


def test_nothing_is_seen_before_publish(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        index.begin(["a"])
        put(index, "a", "one ale")
        with snapshot.opened(folder) as opened:
            assert opened is None
        assert index.publish(SHAPE, 2) == 1
    assert texts(folder) == ["one ale"]


def test_a_reader_keeps_its_generation_while_the_next_is_published(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 1)
        with snapshot.searchable(folder) as opened:
            assert opened is not None
            put(index, "a", "two bees")
            put(index, "b", "three cods")
            index.publish(SHAPE, 1)
            assert [p.text for p in opened.passages(range(len(opened)))] == ["one ale"]
    assert texts(folder) == ["two bees", "three cods"]


def test_rows_follow_path_then_position_whatever_the_order_of_writing(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for place, order in ((folder, "ab"), (other, "ba")):
        with writer.opened(place, "c") as index:
            for name in order:
                put(index, name, f"{name} one", f"{name} two")
            index.publish(SHAPE, 2)
    assert texts(folder) == texts(other) == ["a one", "a two", "b one", "b two"]
    derived = [(p / catalog.DERIVED / "keywords-00000001.bin").read_bytes() for p in (folder, other)]
    assert derived[0] == derived[1]


def test_an_unfinished_run_leaves_the_last_generation_and_its_embeddings(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
        index.finish([], [], 0, 0)
        index.begin(["a", "b"])
        put(index, "a", "two bees")
        put(index, "b", "three cods")
    with writer.opened(folder, "c") as index:
        assert sorted(index.live()) == ["a"]
        assert len(index.known([embedding_key("f", "two bees"), embedding_key("f", "three cods")])) == 2
        put(index, "b", "three cods")
        index.publish(SHAPE, 2)
    assert texts(folder) == ["one ale", "three cods"]


def test_many_publishes_merge_segments_and_keep_every_vector(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        for n in range(12):
            put(index, f"f{n:02}", f"text number {n}")
            index.publish(SHAPE, 2)
    with snapshot.opened(folder) as opened:
        assert opened is not None
        table = opened.rows.arrays
        assert len(opened.segments) <= 8
        rows = [opened.segments[int(table["segment"][r])][int(table["row"][r])] for r in range(len(opened))]
        assert [r.tobytes() for r in rows] == [vector(f"text number {n}") for n in range(12)]


@pytest.mark.parametrize("keep", [1, 2])
def test_a_text_that_comes_back_after_its_segment_was_dropped_has_its_vector_again(folder: Path, keep: int) -> None:
    with writer.opened(folder, "c") as index:
        for first, second in (("ale", "bee"), ("cod", "dew"), ("cod", "dew elm"), ("cod", "bee")):
            put(index, "f", first, second)
            index.publish(SHAPE, keep)
    with snapshot.searchable(folder) as opened:
        assert opened is not None
        table = opened.rows.arrays
        rows = [opened.segments[int(table["segment"][r])][int(table["row"][r])] for r in range(len(opened))]
        assert [r.tobytes() for r in rows] == [vector("cod"), vector("bee")]


def test_a_flaw_in_the_last_generation_does_not_live_on_in_the_next(folder: Path, tmp_path: Path) -> None:
    for place in (folder, tmp_path / "other"):
        with writer.opened(place, "c") as index:
            for name in "abcdef":
                put(index, name, f"{name} one ale", f"{name} two")
            index.publish(SHAPE, 2)
            if place == folder:
                flip(folder / catalog.DERIVED / "keywords-00000001.bin", b"ale")
                flip(folder / catalog.DERIVED / "rows-00000001.bin", b"chunk")
            put(index, "c", "c three")
            index.publish(SHAPE, 2)
    derived = [(p / catalog.DERIVED / "keywords-00000002.bin").read_bytes() for p in (folder, tmp_path / "other")]
    assert derived[0] == derived[1]
    assert texts(folder) == texts(tmp_path / "other")


def flip(path: Path, what: bytes) -> None:
    """Change a byte where `what` stands, and nothing the system tells of the file but its times."""
    data = bytearray(path.read_bytes())
    data[data.index(what)] ^= 1
    path.write_bytes(data)


def test_old_generations_leave_no_files_behind(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        for n in range(5):
            put(index, "a", f"version {n}")
            index.publish(SHAPE, 2)
    names = sorted(p.name for p in (folder / catalog.DERIVED).glob("keywords*"))
    assert names == ["keywords-00000004.bin", "keywords-00000005.bin"]


def test_forgetting_keeps_as_many_unused_embeddings_as_are_in_use(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        for n in range(5):
            put(index, "a", f"version {n}")
            index.publish(SHAPE, 1)
        known = [n for n in range(5) if index.known([embedding_key("f", f"version {n}")])]
    assert known == [3, 4]


def test_a_second_writer_is_told_that_the_collection_is_busy(folder: Path) -> None:
    with writer.opened(folder, "c"), pytest.raises(WhereinError) as error, writer.opened(folder, "c"):
        pass
    assert error.value.code == BUSY


def test_a_passage_that_does_not_match_its_digest_is_never_shown(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
    connection = sqlite3.connect(folder / catalog.NAME)
    connection.execute("UPDATE contents SET text = 'two ale'")
    connection.commit()
    connection.close()
    with pytest.raises(WhereinError, match="damaged"):
        texts(folder)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_reading_leaves_no_file_and_no_time_changed(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
    before = [(path, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()]
    for _ in range(2):
        assert texts(folder) == ["one ale"]
    assert [(path, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()] == before


def test_a_log_that_a_reader_kept_from_being_moved_is_read_and_left_alone(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
    reader = reading.begun(folder / catalog.NAME)
    with writer.opened(folder, "c") as index:
        put(index, "a", "two bees")
        index.publish(SHAPE, 2)
    reader.close()
    log = folder / (catalog.NAME + "-wal")
    size = log.stat().st_size
    assert texts(folder) == ["two bees"]
    assert log.stat().st_size == size > 0
    with writer.opened(folder, "c"):
        pass
    assert not log.exists()
    assert texts(folder) == ["two bees"]


@pytest.mark.parametrize("with_log", [True, False])
def test_a_catalog_is_read_where_no_shared_memory_can_be_made(
    folder: Path, with_log: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
    reader = reading.begun(folder / catalog.NAME) if with_log else None
    with writer.opened(folder, "c") as index:
        put(index, "a", "two bees")
        index.publish(SHAPE, 2)
    connected = reading._connected

    def refuse(path: Path, options: str) -> sqlite3.Connection:
        if options == "mode=ro":
            raise sqlite3.OperationalError("unable to open database file")
        return connected(path, options)

    monkeypatch.setattr(reading, "_connected", refuse)
    before = files(folder)
    assert texts(folder) == ["two bees"]
    assert files(folder) == before
    if reader is not None:
        reader.close()


def test_what_a_killed_restore_or_rebuild_left_is_removed_by_the_next_writer(folder: Path) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)
    before = files(folder)
    for name in writer.LEFTOVERS:
        (folder / name).write_bytes(b"half a text")
    with writer.opened(folder, "c"):
        pass
    assert files(folder) == before


def refused_with(code: int) -> sqlite3.OperationalError:
    """What SQLite raises for a refusal of the file system."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, "disk-full"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "disk-full"),
        (sqlite3.SQLITE_IOERR_WRITE, "disk-full"),
        (sqlite3.SQLITE_IOERR_READ, "disk"),
        (sqlite3.SQLITE_IOERR_SHORT_READ, "damaged"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
    ],
)
def test_a_disk_that_refuses_is_no_damage(folder: Path, code: int, kind: str) -> None:
    assert catalog.explained(folder, refused_with(code)).kind == kind


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_FULL])
def test_a_rebuild_on_a_disk_that_refuses_puts_no_catalog_away(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    with writer.opened(folder, "c") as index:
        put(index, "a", "one ale")
        index.publish(SHAPE, 2)

    def refuse(_connection: object) -> None:
        raise refused_with(code)

    with monkeypatch.context() as patch, pytest.raises(WhereinError, match=r"disk|space"):
        patch.setattr(trust, "read_all", refuse)
        with writer.opened(folder, "c", anew=True):
            pass
    assert texts(folder) == ["one ale"]
