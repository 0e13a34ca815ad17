"""How quality moved: a line for each evaluation, and each arm beside the last comparable one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store import disk, lock
from store.errors import usage
from tasks.evaluation.differences import Difference, differences

FILE = "history.jsonl"
ROWS = "rows.jsonl"
Document = Mapping[str, Any]
Values = dict[str, float]


@dataclass(frozen=True)
class History:
    """Entries as they were appended, oldest first; folders in them are relative to the folder of `path`."""

    path: Path
    entries: tuple[Document, ...]

    @classmethod
    def read(cls, path: Path) -> History:
        """Without a file, no entries; raises WhereinError (exit 2) naming a line that cannot be read."""
        if not path.exists():
            return cls(path, ())
        lines = enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        return cls(path, tuple(_entry(path, number, line) for number, line in lines if line.strip()))

    def appended(self, entry: Document) -> History:
        """Write the file anew, with one more line than it holds by now."""
        with lock.rewriting(self.path.parent):
            entries = (*History.read(self.path).entries, entry)
            disk.write_file(self.path, (f"{json.dumps(one, ensure_ascii=False)}\n".encode() for one in entries))
        return History(self.path, entries)

    def values(self, entry: Document, arm: str, measure: str) -> Values:
        """A value by question, of the rows that an evaluation left; empty where they are gone or are others now."""
        rows = self.path.parent / entry["folder"] / ROWS
        if _digest(rows) != entry.get("rows_digest") or not rows.exists():
            return {}
        found = (json.loads(line) for line in rows.read_text(encoding="utf-8").split("\n") if line.strip())
        return by_question(found, arm, measure)


@dataclass(frozen=True, slots=True)
class Moved:
    """An arm in one evaluation; `change` is from the last one of the same questions and arm, None without rows."""

    created_at: str
    golden: str
    questions: int
    generations: str
    settings: str
    arm: str
    means: Mapping[str, float]
    change: Difference | None
    regressed: bool


def entry(report: Document, folder: Path, path: Path, settings: Document, *, regressed: bool = False) -> dict[str, Any]:
    """What is kept of a report for the history at `path`; `settings` are those in force, of which a digest is kept.

    The rows of the evaluation stand in `folder` already: a later one may be written to the same place.
    """
    return {
        "created_at": report["created_at"],
        "golden": {key: report["golden"][key] for key in ("file", "digest", "questions", "answerable")},
        "generations": dict(report["generations"]),
        "chunks": report["chunks"],
        "settings_digest": settings_digest(settings),
        "base": report["base"],
        "folder": os.path.relpath(folder, path.parent),
        "rows_digest": _digest(folder / ROWS),
        "regressed": regressed,
        "arms": {arm["name"]: dict(arm["means"]) for arm in report["arms"]},
    }


def settings_digest(settings: Document) -> str:
    """Equal for equal settings, in whatever order they stand."""
    text = json.dumps(settings, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def moved(history: History, measure: str, arm: str | None = None) -> list[Moved]:
    """Every evaluation of an arm, by default of the base of each, oldest first."""
    found = []
    for at, one in enumerate(history.entries):
        name = one["base"] if arm is None else arm
        if name in one["arms"]:
            earlier = previous(history.entries[:at], one["golden"]["digest"], name)
            found.append(_moved(one, name, _change(history, earlier, one, name, measure)))
    return found


def previous(entries: Sequence[Document], golden: str, arm: str) -> Document | None:
    """The last evaluation of the same questions and arm that was no regression."""
    fitting = (one for one in reversed(entries) if one["golden"]["digest"] == golden and arm in one["arms"])
    return next((one for one in fitting if not one.get("regressed")), None)


def by_question(rows: Iterator[Document] | Sequence[Document], arm: str, measure: str) -> Values:
    """The values of an arm, by question; questions that are not measured are left out."""
    return {row["id"]: row[measure] for row in rows if row["arm"] == arm and row.get(measure) is not None}


def compared(before: Values, now: Values) -> Difference | None:
    """Over the questions that both measured; None without any."""
    both = sorted(before.keys() & now.keys())
    if not both:
        return None
    return differences([before[id_] for id_ in both], {"now": [now[id_] for id_ in both]})["now"]


def _change(history: History, earlier: Document | None, one: Document, arm: str, measure: str) -> Difference | None:
    if earlier is None:
        return None
    return compared(history.values(earlier, arm, measure), history.values(one, arm, measure))


def _moved(one: Document, arm: str, change: Difference | None) -> Moved:
    return Moved(
        one["created_at"],
        one["golden"]["digest"],
        one["golden"]["answerable"],
        ", ".join(f"{name} {number}" for name, number in sorted(one["generations"].items())),
        one["settings_digest"],
        arm,
        one["arms"][arm],
        change,
        bool(one.get("regressed")),
    )


def _digest(rows: Path) -> str | None:
    return hashlib.sha256(rows.read_bytes()).hexdigest() if rows.exists() else None


def _entry(path: Path, number: int, line: str) -> Document:
    try:
        found: Document = json.loads(line)
        _ = (found["golden"]["digest"], found["folder"], found["base"], found["arms"], found["generations"])
    except (ValueError, KeyError, TypeError) as error:
        raise usage(f"Line {number} of {path} is no evaluation ({error}): remove the line.", "history") from error
    return found
