"""Sentences that a language model wrote of chunks, each paid for once; beside the catalog, which a rebuild replaces."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from store import disk
from store.digests import row_digest
from store.errors import WhereinError
from store.files import LIVE

NAME = "sentences.sqlite"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sentences (key BLOB PRIMARY KEY, sentence TEXT NOT NULL, digest BLOB NOT NULL)"
    " WITHOUT ROWID, STRICT"
)


def sentence_key(model: str, prompt: str, document: bytes, chunk: bytes) -> bytes:
    """What a sentence is remembered by: model, digest of the prompt, and the keys of both texts."""
    parts = (model.encode(), prompt.encode(), document, chunk)
    sized = b"".join(len(part).to_bytes(4, "little") + part for part in parts)
    return hashlib.blake2b(sized, digest_size=24).digest()


class Sentences:
    """Opened for each use; a row that does not match its digest is no sentence."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def known(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The sentences of the keys that are kept."""
        if not self.path.exists():
            return {}
        found: dict[bytes, str] = {}
        with self._opened() as connection:
            for key in dict.fromkeys(keys):
                row = connection.execute("SELECT sentence, digest FROM sentences WHERE key = ?", (key,)).fetchone()
                if row is not None and row[1] == row_digest(key, row[0]):
                    found[key] = row[0]
        return found

    def keep(self, sentences: Mapping[bytes, str]) -> None:
        """Keep some at once, whatever becomes of the run."""
        rows = [(key, text, row_digest(key, text)) for key, text in sorted(sentences.items())]
        with self._opened() as connection, disk.transaction(connection):
            connection.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?, ?)", rows)

    def count(self) -> int:
        if not self.path.exists():
            return 0
        with self._opened() as connection:
            return int(connection.execute("SELECT count(*) FROM sentences").fetchone()[0])

    def retain(self, used: Iterable[bytes]) -> None:
        """Forget all but some, and leave nothing of the others in the file."""
        wanted = set(used)
        if not self.path.exists():
            return
        if not wanted:
            disk.remove(self.path)
            return
        with self._opened() as connection:
            with disk.transaction(connection):
                keys = [bytes(row[0]) for row in connection.execute("SELECT key FROM sentences ORDER BY key")]
                connection.executemany(
                    "DELETE FROM sentences WHERE key = ?", [(key,) for key in keys if key not in wanted]
                )
            disk.vacuum(connection)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as connection:
            try:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(_SCHEMA)
                yield connection
            except sqlite3.DatabaseError as error:
                raise WhereinError(
                    f"The remembered sentences in {self.path} cannot be used ({error}): delete that file, and they are"
                    " written again.",
                    kind="damaged",
                ) from error


def in_use(connection: sqlite3.Connection, model: str, prompt: str) -> Iterator[bytes]:
    """The keys of the sentences of all live chunks."""
    rows = connection.execute(
        "SELECT t.key, c.text_key FROM files AS f JOIN contents AS t ON t.id = f.content_id"
        f" JOIN chunks AS c ON c.file_id = f.id WHERE {LIVE}"
    )
    return (sentence_key(model, prompt, bytes(document), bytes(chunk)) for document, chunk in rows)


def tidy(connection: sqlite3.Connection, folder: Path, settings: Mapping[str, Any], chunks: int) -> None:
    """Forget what no live chunk uses, once that is more than half."""
    made_by = settings.get("chunking", {}).get("llm")
    kept = Sentences(folder)
    if made_by is not None and kept.count() > 2 * chunks:
        kept.retain(in_use(connection, made_by["model"], made_by["prompt"]))


def purge(connection: sqlite3.Connection, folder: Path, settings: Mapping[str, Any]) -> None:
    """Forget what no live chunk uses."""
    made_by = settings.get("chunking", {}).get("llm")
    Sentences(folder).retain(in_use(connection, made_by["model"], made_by["prompt"]) if made_by is not None else ())


def copied(connection: sqlite3.Connection, folder: Path, target: Path) -> Path | None:
    """Write the sentences of the live chunks of a catalog to a file of their own in `target`, if there are any."""
    row = connection.execute("SELECT settings FROM generations ORDER BY number DESC LIMIT 1").fetchone()
    made_by = json.loads(row[0]).get("chunking", {}).get("llm") if row is not None else None
    if made_by is None:
        return None
    known = Sentences(folder).known(list(in_use(connection, made_by["model"], made_by["prompt"])))
    if not known:
        return None
    written = Sentences(target)
    written.keep(known)
    return written.path


def read(path: Path) -> dict[bytes, str]:
    """All sentences of a file; raises sqlite3.DatabaseError, and ValueError if it is none of ours."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        (made,) = connection.execute("SELECT group_concat(type || ' ' || sql) FROM sqlite_master").fetchone()
        if made != f"table {_SCHEMA.replace('IF NOT EXISTS ', '')}":
            raise ValueError(f"{path.name} has another schema")
        rows = connection.execute("SELECT key, sentence, digest FROM sentences ORDER BY key").fetchall()
    if any(digest != row_digest(key, text) for key, text, digest in rows):
        raise ValueError(f"{path.name} holds a sentence that does not match its digest")
    return {bytes(key): text for key, text, _ in rows}


def missing(connection: sqlite3.Connection, folder: Path, file_id: int, made_by: Mapping[str, str]) -> int:
    """How many chunks of one version of a file have no sentence."""
    keys = _of_file(connection, file_id, made_by["model"], made_by["prompt"])
    found = Sentences(folder).known(keys)
    return sum(key not in found for key in keys)


def _of_file(connection: sqlite3.Connection, file_id: int, model: str, prompt: str) -> list[bytes]:
    rows = connection.execute(
        "SELECT t.key, c.text_key FROM files AS f JOIN contents AS t ON t.id = f.content_id"
        " JOIN chunks AS c ON c.file_id = f.id WHERE f.id = ?",
        (file_id,),
    )
    return [sentence_key(model, prompt, bytes(document), bytes(chunk)) for document, chunk in rows]
