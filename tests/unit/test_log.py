from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store.errors import WhereinError
from store.log import AnswerLog, digest_seen, remember_digest

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> AnswerLog:
    return AnswerLog(tmp_path / "state" / "log.sqlite")


def bytes_of(log: AnswerLog) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(log.path.parent.iterdir()))


def test_nothing_is_there_and_nothing_is_made_before_the_first_answer(log: AnswerLog) -> None:
    assert (log.recent(), log.get("x"), log.purge()) == ([], None, 0)
    assert not log.path.parent.exists()


def test_an_answer_comes_back_as_it_was_given(log: AnswerLog) -> None:
    given = {"answer": "Blau „ü“ [1].", "notes": [], "temperature": 0.0, "id": None}
    number = log.add("Welche Farbe?", given, NOON)
    kept = log.get(number)
    assert kept is not None
    assert (kept.question, kept.answer) == ("Welche Farbe?", {**given, "id": number})
    assert kept.asked_at == "2026-05-01T12:00:00.000000+00:00"


def test_the_newest_comes_first_and_the_list_can_be_cut(log: AnswerLog) -> None:
    for hours in (2, 0, 1):
        log.add(f"q{hours}", {}, NOON + timedelta(hours=hours))
    assert [entry.question for entry in log.recent()] == ["q2", "q1", "q0"]
    assert [entry.question for entry in log.recent(1)] == ["q2"]


def test_purging_by_age_keeps_the_younger(log: AnswerLog) -> None:
    for days in (0, 10, 400):
        log.add(f"q{days}", {}, NOON - timedelta(days=days))
    assert log.purge(365, NOON) == 1
    assert log.purge(365, NOON) == 0
    assert [entry.question for entry in log.recent()] == ["q0", "q10"]
    assert log.purge() == 2
    assert log.recent() == []


def test_purged_text_is_nowhere_in_the_state(log: AnswerLog) -> None:
    for number in range(50):
        log.add(f"SECRETQUESTION{number}", {"answer": f"SECRETANSWER{number} " * 200}, NOON)
    log.add("kept question", {"answer": "kept"}, NOON + timedelta(days=9))
    assert b"SECRETANSWER" in bytes_of(log)
    assert log.purge(1, NOON + timedelta(days=5)) == 50
    assert b"SECRET" not in bytes_of(log)
    assert [entry.question for entry in log.recent()] == ["kept question"]


def test_a_purge_beside_a_reader_says_that_text_may_be_left(log: AnswerLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.log.BUSY_SECONDS", 0.1)
    log.add("SECRET", {}, NOON)
    reader = sqlite3.connect(log.path)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM answers").fetchone()
        with pytest.raises(WhereinError, match="is being read") as caught:
            log.purge()
    finally:
        reader.close()
    assert caught.value.code == 5
    assert log.purge() == 0
    assert b"SECRET" not in bytes_of(log)


def test_a_thing_is_said_once(log: AnswerLog) -> None:
    assert [log.say_once("kept here"), log.say_once("kept here"), log.say_once("other")] == [True, False, True]


def test_the_log_is_for_its_owner_alone(log: AnswerLog) -> None:
    log.add("q", {})
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_a_file_that_is_no_log_is_named(log: AnswerLog) -> None:
    log.path.parent.mkdir()
    log.path.write_text("not a database " * 100)
    for call in (lambda: log.add("q", {}), log.recent, log.purge):
        with pytest.raises(WhereinError, match=r"answer log .*log\.sqlite cannot be used") as caught:
            call()
        assert caught.value.kind == "log"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_log_that_cannot_be_written_can_still_be_read(log: AnswerLog) -> None:
    log.add("q", {})
    log.path.chmod(0o400)
    log.path.parent.chmod(0o500)
    try:
        assert [entry.question for entry in log.recent()] == ["q"]
        assert not remember_digest(log.path, "a", "1")
        with pytest.raises(WhereinError):
            log.add("q", {})
    finally:
        log.path.parent.chmod(0o700)


def test_a_digest_is_known_for_the_very_stat_it_was_made_at(log: AnswerLog) -> None:
    assert not digest_seen(log.path, "vectors-1", "10:20:30")
    assert not log.path.exists()
    assert remember_digest(log.path, "vectors-1", "10:20:30")
    assert digest_seen(log.path, "vectors-1", "10:20:30")
    assert not digest_seen(log.path, "vectors-1", "10:20:31")
    assert not digest_seen(log.path, "vectors-2", "10:20:30")
    assert remember_digest(log.path, "vectors-1", "10:20:31")
    assert not digest_seen(log.path, "vectors-1", "10:20:30")


def test_a_digest_store_that_is_no_database_is_only_forgetful(log: AnswerLog) -> None:
    log.path.parent.mkdir()
    log.path.write_text("not a database " * 100)
    assert not digest_seen(log.path, "a", "1")
    assert not remember_digest(log.path, "a", "1")


def test_processes_that_write_at_once_lose_nothing(log: AnswerLog) -> None:
    code = "import sys; from pathlib import Path; from store.log import AnswerLog\n"
    code += "for n in range(20): AnswerLog(Path(sys.argv[1])).add(f'{sys.argv[2]}-{n}', {})"
    root = Path(__file__).resolve().parents[2]
    running = [subprocess.Popen([sys.executable, "-c", code, str(log.path), str(n)], cwd=root) for n in range(4)]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    assert len({entry.question for entry in log.recent()}) == 80
