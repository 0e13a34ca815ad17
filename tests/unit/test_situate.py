from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import backup, restore
from store.archive import Entry
from store.errors import WhereinError
from store.purge import purge
from store.sentences import Sentences, read, sentence_key
from tasks.fence import fence_code
from tasks.situate import GAP, excerpt, sentence
from tasks.tokens import at_most
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.support.faults import Fault
from tests.support.stub import Stub
from wherein.pipelines.query import QueryOptions, search

OLD = ("collection", "generation", "files", "chunks", "size_bytes", "sha256")
MODEL = (
    '\n[synthesis]\nmodel = "local"\n[models.local]\nbase_url = "{v1}"\nmodel = "m"\nprice_in = 1.0\nprice_out = 2.0\n'
)


def test_a_long_document_is_shown_by_its_beginning_and_what_is_around_the_chunk() -> None:
    text = "Title here. " + "word " * 4000 + "the chunk itself " + "more " * 4000
    start = text.index("the chunk")
    shown = excerpt(text, start, start + 16, 300)
    assert shown.startswith("Title here.")
    assert GAP in shown
    assert "the chunk itself" in shown
    assert at_most(shown) <= 300
    assert excerpt("short", 0, 5, 300) == "short"
    assert excerpt(text, start, start + 16, 0) == ""


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("  It is a diary.\nIt goes on. ", "It is a diary."),
        ("Here is the sentence:\n\nA diary of 1660.", "A diary of 1660."),
        ("", ""),
        ("no end", "no end"),
    ],
)
def test_one_sentence_is_taken_of_an_answer(answer: str, expected: str) -> None:
    assert sentence(answer) == expected


def test_a_fence_stands_in_no_text() -> None:
    code = fence_code(["a"])
    assert fence_code([f"a{code}"]) != code
    assert fence_code(["a"]) == code


def test_kept_sentences_are_found_again_and_a_spoilt_one_is_none(tmp_path: Path) -> None:
    kept = Sentences(tmp_path)
    keys = [sentence_key("m", "p", b"d", bytes([n])) for n in range(3)]
    assert kept.known(keys) == {}
    kept.keep({keys[0]: "one", keys[1]: "two"})
    data = kept.path.read_bytes().replace(b"two", b"twa")
    kept.path.write_bytes(data)
    assert kept.known(keys) == {keys[0]: "one"}
    kept.retain([])
    assert not kept.path.exists()
    kept.path.write_bytes(b"no database" * 100)
    with pytest.raises(WhereinError, match="delete that file"):
        kept.known(keys)


# ── an index whose chunks a model has put a sentence before ──────────────────────────────────────
@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as found:
        found.default_answer = "A zebra diary."
        yield found


@pytest.fixture
def notes(tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Folder:
    use(monkeypatch, HashedWords())
    made = Folder(tmp_path, context="llm")
    set_model(made, MODEL.format(v1=stub.v1))
    made.write("a.txt", b"ale bee")
    made.write("b.txt", b"cod dew")
    return made


def set_model(place: Folder, lines: str) -> None:
    toml = place.place / "wherein.toml"
    text = toml.read_text(encoding="utf-8").partition("\n[synthesis]")[0]
    toml.write_text(text + lines, encoding="utf-8")
    place.__dict__.pop("workspace", None)


def test_each_chunk_gets_a_sentence_that_only_the_channels_see(notes: Folder, stub: Stub) -> None:
    planned = notes.ingest(dry_run=True).estimate["sentences"]
    assert planned["calls"] == 2
    assert planned["cost"] == round((planned["prompt_tokens"] + 2 * planned["completion_tokens"]) / 1e6, 6)
    assert stub.requests("chat") == []
    report = notes.ingest()
    assert (report.sentences["written"], report.sentences["reused"]) == (2, 0)
    assert report.sentences["cost"] > 0
    hits = search(notes.workspace, "zebra", QueryOptions(mode="keyword")).hits
    assert [hit.text for hit in hits] == ["ale bee", "cod dew"]
    assert "ale bee" in str(stub.requests("chat")[0].body["messages"])


def test_no_sentence_is_paid_for_twice(notes: Folder, stub: Stub) -> None:
    notes.ingest()
    (notes.files / "a.txt").rename(notes.files / "c.txt")
    assert notes.ingest().sentences["reused"] == 1
    assert notes.ingest(dry_run=True, rebuild=True).estimate["sentences"]["calls"] == 0
    assert notes.ingest(rebuild=True).sentences == {
        "written": 0, "reused": 2, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0,
    }  # fmt: skip
    assert len(stub.requests("chat")) == 2
    notes.write("b.txt", b"cod dew elm")
    assert notes.ingest().sentences["written"] == 1
    purge(notes.index, "c")
    assert Sentences(notes.index).count() == 2


def test_a_model_that_goes_away_leaves_files_for_the_next_run(notes: Folder, stub: Stub) -> None:
    stub.rule("chat", lambda seen: Fault(status=500) if seen.ordinal == 2 else None)
    report = notes.ingest()
    assert (report.code, report.pending, report.files["added"]) == (3, 1, 1)
    assert notes.ingest().sentences["written"] == 1
    assert len(stub.requests("chat")) == 3
    stub.stop()
    notes.write("c.txt", b"elm")
    with pytest.raises(WhereinError, match="language model 'local' of collection 'c' wrote nothing") as caught:
        notes.ingest()
    assert caught.value.code == 1


def test_a_prompt_that_is_refused_fails_its_file_alone(notes: Folder, stub: Stub) -> None:
    stub.rule("chat", lambda seen: Fault(status=413) if "cod dew" in str(seen.body) else None)
    report = notes.ingest()
    assert (report.files["added"], report.files["failed"], report.pending) == (1, 1, 0)


def test_another_model_costs_a_rebuild(notes: Folder, stub: Stub) -> None:
    notes.ingest()
    set_model(notes, MODEL.format(v1=stub.v1).replace('"m"', '"other"'))
    with pytest.raises(WhereinError, match=r"synthesis.model 'm' -> 'other'.*up to 2 sentences"):
        notes.ingest()
    set_model(notes, MODEL.format(v1=stub.v1.replace("127.0.0.1", "localhost")))
    assert notes.ingest().sentences == {}


def test_sentences_come_back_from_a_backup_and_a_rebuild_asks_for_none(
    notes: Folder, stub: Stub, tmp_path: Path
) -> None:
    notes.ingest()
    notes.write("b.txt", b"cod dew elm")
    notes.ingest()
    backup.backup(tmp_path / "all.backup", {"c": notes.index})
    other = Folder(tmp_path / "other", context="llm")
    set_model(other, MODEL.format(v1=stub.v1))
    for file in ("a.txt", "b.txt"):
        other.write(file, (notes.files / file).read_bytes())
    restore.restore(tmp_path / "all.backup", {"c": other.index}, lambda *_: None)
    assert Sentences(other.index).count() == 2, "that of a text that has gone is left out"
    asked = len(stub.requests("chat"))
    assert other.ingest(rebuild=True).sentences["reused"] == 2
    assert len(stub.requests("chat")) == asked
    assert other.state() == notes.state()
    assert not [path for path in other.index.iterdir() if path.name.startswith("restored")]


@pytest.mark.parametrize("spoilt", ["text", "schema", "rubbish"])
def test_sentences_that_are_not_whole_are_not_read(notes: Folder, tmp_path: Path, spoilt: str) -> None:
    notes.ingest()
    with sqlite3.connect(notes.index / "sentences.sqlite") as connection:
        if spoilt == "text":
            connection.execute("UPDATE sentences SET sentence = sentence || '!'")
        elif spoilt == "schema":
            connection.execute("CREATE VIEW evil AS SELECT 1")
    connection.close()
    if spoilt == "rubbish":
        (notes.index / "sentences.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises((ValueError, sqlite3.DatabaseError)):
        read(notes.index / "sentences.sqlite")


def test_a_backup_without_sentences_is_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, HashedWords())
    plain = Folder(tmp_path / "plain")
    plain.write("a.txt", b"ale bee")
    plain.ingest()
    (entry,) = backup.backup(tmp_path / "all.backup", {"c": plain.index})
    assert (entry.sentences_bytes, entry.sentences_sha256) == (0, "")
    assert Entry(**{name: getattr(entry, name) for name in OLD}) == entry, "as older versions wrote it"


def test_extractive_writes_no_sentences(notes: Folder) -> None:
    set_model(notes, '\n[synthesis]\nmodel = "extractive"\n')
    with pytest.raises(WhereinError, match=r'chunking.context = "llm" needs a language model') as caught:
        notes.ingest()
    assert caught.value.code == 2
