"""The answer log, in a database of its own: answers a person was given, what was said once, digests that matched."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.errors import BUSY, WhereinError

FILE_NAME = "log.sqlite"
BUSY_SECONDS = 5.0

_SCHEMA = (
    """CREATE TABLE answers (
        id TEXT PRIMARY KEY, asked_at TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX answers_by_time ON answers (asked_at, id)",
    "CREATE TABLE said (name TEXT PRIMARY KEY) STRICT",
    "CREATE TABLE kept (path TEXT PRIMARY KEY, mark TEXT NOT NULL) STRICT",
)


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """`asked_at` in ISO 8601, UTC; `answer` is the JSON value that was given."""

    id: str
    asked_at: str
    question: str
    answer: dict[str, Any]


class AnswerLog:
    """Answers by time. Every call opens the database, so that no process holds it.

    Raises WhereinError (kind "log") where the database cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, question: str, answer: dict[str, Any], now: datetime | None = None) -> str:
        """Keep an answer; its id."""
        number = secrets.token_hex(4)
        row = (number, _iso(now), question, json.dumps({**answer, "id": number}, ensure_ascii=False))
        with self._writing() as connection:
            connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", row)
        return number

    def recent(self, limit: int | None = None) -> list[LoggedAnswer]:
        """The answers, newest first."""
        query = "SELECT id, asked_at, question, answer FROM answers ORDER BY asked_at DESC, id LIMIT ?"
        return [_answer(row) for row in self._read(query, -1 if limit is None else limit)]

    def get(self, number: str) -> LoggedAnswer | None:
        """The answer with this id."""
        rows = self._read("SELECT id, asked_at, question, answer FROM answers WHERE id = ?", number)
        return _answer(rows[0]) if rows else None

    def purge(self, older_than_days: float | None = None, now: datetime | None = None) -> int:
        """Remove answers older than so many days, or all; how many. Nothing of their text stays in the file."""
        moment = now or datetime.now(UTC)
        before = None if older_than_days is None else _iso(moment - timedelta(days=older_than_days))
        if not self.path.exists():
            return 0
        with self._writing() as connection:
            removed = connection.execute("DELETE FROM answers WHERE ? IS NULL OR asked_at < ?", (before, before))
            count = removed.rowcount
        self._compact()
        return count

    def holds_older_than(self, days: float, now: datetime | None = None) -> bool:
        """Whether a purge of that age would remove anything."""
        before = _iso((now or datetime.now(UTC)) - timedelta(days=days))
        return bool(self._read("SELECT 1 FROM answers WHERE asked_at < ? LIMIT 1", before))

    def say_once(self, name: str) -> bool:
        """Whether this is the first time that `name` is to be said in this workspace."""
        with self._writing() as connection:
            return connection.execute("INSERT OR IGNORE INTO said VALUES (?)", (name,)).rowcount == 1

    def _compact(self) -> None:
        with _explained(self.path), closing(_open(self.path)) as connection:
            connection.execute("VACUUM")
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise WhereinError(
                f"The answers are removed, but {self.path} is being read, so that their text may still stand in it: "
                "run the same again.",
                kind="busy",
                code=BUSY,
            )

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with _explained(self.path), closing(_open_for_reading(self.path)) as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path), closing(_open(self.path)) as connection, connection:
            yield connection


def digest_seen(path: Path, name: str, mark: str) -> bool:
    """Whether the file `name` had the digest and the stat of `mark` when last digested."""
    if not path.exists():
        return False
    with suppress(sqlite3.Error), closing(_open_for_reading(path)) as connection:
        return connection.execute("SELECT 1 FROM kept WHERE path = ? AND mark = ?", (name, mark)).fetchone() is not None
    return False


def remember_digest(path: Path, name: str, mark: str) -> bool:
    """Remember a digest that matched; False where that cannot be written, and it is then digested again."""
    with suppress(sqlite3.Error, OSError), closing(_open(path)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, mark))
        return True
    return False


def damage(path: Path) -> str | None:
    """What SQLite finds wrong with the database, if anything; None too if there is none."""
    if not path.exists():
        return None
    try:
        with closing(_open_for_reading(path)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            version = connection.execute("PRAGMA user_version").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return str(error)
    if version > 1:
        return f"it was written by a newer version (schema {version}, known 1)"
    return None if found == "ok" else " ".join(str(found).split())


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA secure_delete = ON")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_for_reading(path: Path) -> sqlite3.Connection:
    """Also where nothing may be written: then as the file stands."""
    try:
        return _ready(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS))
    except sqlite3.OperationalError:
        return _ready(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True))


def _ready(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("SELECT 1 FROM answers LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0] >= 1:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] < 1:
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("PRAGMA user_version = 1")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise WhereinError(
            f"The answer log {path} cannot be used ({reason}): make it writable, or set answers.log = false.",
            kind="log",
        ) from error


def _answer(row: tuple[Any, ...]) -> LoggedAnswer:
    return LoggedAnswer(row[0], row[1], row[2], json.loads(row[3]))


def _iso(moment: datetime | None) -> str:
    return (moment or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="microseconds")
