"""Logits that were paid for are kept, and losing them is no error."""

from __future__ import annotations

from pathlib import Path

from store.logits import Logits, logit_key

KEY, OTHER = logit_key("model", "query", "passage"), logit_key("model", "query passage", "")


def test_what_is_kept_is_known_again(tmp_path: Path) -> None:
    Logits(tmp_path / "state" / "logits.sqlite").keep({KEY: (1.5, 0.04)})
    assert Logits(tmp_path / "state" / "logits.sqlite").known([KEY, OTHER]) == {KEY: (1.5, 0.04)}


def test_a_key_tells_model_query_and_passage_apart() -> None:
    assert len({KEY, OTHER, logit_key("modelquery", "", "passage"), logit_key("model", "query", "passage ")}) == 4


def test_a_file_that_is_no_database_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "logits.sqlite").write_bytes(b"noise" * 1000)
    logits = Logits(tmp_path / "logits.sqlite")
    logits.keep({KEY: (1.0, 1.0)})
    assert logits.known([KEY]) == {}


def test_a_place_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    logits = Logits(tmp_path / "file" / "logits.sqlite")
    logits.keep({KEY: (1.0, 1.0)})
    assert logits.known([KEY]) == {}


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("store.logits.MOST", 2)
    logits = Logits(tmp_path / "logits.sqlite")
    keys = [logit_key("model", str(n), "") for n in range(4)]
    for key in keys:
        logits.keep({key: (0.0, 0.0)})
    assert sorted(logits.known(keys)) == sorted(keys[2:])
