"""Files in a language that the embedding model does not read: its voice counts less there, and a note says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.records import Evidence
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.cli.program import run
from wherein.pipelines.query import QueryOptions, search
from wherein.pipelines.status import status
from wherein.workspace import Workspace

TURKISH = (
    "Kahve ve çay için bir dükkân vardı, ama sahibi artık orada değil gibi görünüyordu.",
    "Bu köprü çok eski ve geniş değil; ama her gün bir araba ile geçmek için yeterli.",
    "Dükkân sabah açıldı ve bir kişi kahve için geldi, ama çay daha çok içildi.",
)
ENGLISH = (
    "There was a shop for coffee and tea, but its owner did not seem to be there any more.",
    "This bridge is very old and it is not wide, but it is enough for a car on each day.",
)
QUESTION = "bu dükkân kahve için mi ve çay için mi"
NOTE = "does not read"


def folder(place: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> Path:
    use(monkeypatch, HashedWords())
    made = Folder(place)
    for number, text in enumerate(texts):
        made.write(f"{number}.txt", text.encode())
    made.ingest()
    return place


def found(place: Path, question: str, *settings: str, mode: str | None = None) -> Evidence:
    return search(Workspace.find(place, settings), question, QueryOptions(mode=mode))


def scores(evidence: Evidence) -> list[tuple[str, float | None]]:
    return [(hit.path, hit.scores.fused) for hit in evidence.hits]


def noted(evidence: Evidence) -> list[str]:
    return [note for note in evidence.notes if NOTE in note]


def test_where_most_files_are_not_read_vectors_count_a_quarter_and_a_note_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(tmp_path, monkeypatch, *TURKISH, *ENGLISH)
    usual, off = found(place, QUESTION), found(place, QUESTION, "retrieval.weight_vector_unread=1")
    by_hand = found(place, QUESTION, "retrieval.weight_vector_unread=1", "retrieval.weight_vector=0.25")
    (note,) = noted(usual)
    assert "(tr)" in note
    assert "retrieval.weight_vector_unread" in note
    assert noted(off) == noted(by_hand) == []
    assert scores(usual) == scores(by_hand) != scores(off)


def test_status_tells_which_languages_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, monkeypatch, *TURKISH, *ENGLISH)
    (entry,) = status(Workspace.find(place)).collections
    assert (entry.languages, entry.unread_languages) == ({"tr": 3, "en": 2}, ["tr"])
    assert run(["status", "--workspace", str(place)]) == 0
    assert "tr 3 (not read by the embedding model), en 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("texts", "question"),
    [(ENGLISH, QUESTION), ((*TURKISH[:2], *ENGLISH), QUESTION), (TURKISH, "the coffee that was for them is here")],
)
def test_files_or_a_question_that_the_model_reads_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...], question: str
) -> None:
    place = folder(tmp_path, monkeypatch, *texts)
    usual, off = found(place, question), found(place, question, "retrieval.weight_vector_unread=1")
    assert noted(usual) == []
    assert (scores(usual), usual.notes) == (scores(off), off.notes)


def test_where_one_channel_runs_or_weights_play_no_part_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(tmp_path, monkeypatch, *TURKISH)
    assert noted(found(place, QUESTION, mode="vector")) == []
    assert noted(found(place, QUESTION, mode="keyword")) == []
    assert noted(found(place, QUESTION, "retrieval.fusion=union")) == []


def test_nothing_is_assumed_of_a_model_that_is_not_bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.weights.languages", lambda _name: ())
    assert noted(found(folder(tmp_path, monkeypatch, *TURKISH), QUESTION)) == []
