"""Go through golden questions one by one; the file holds every decision as soon as it is made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from store import disk, lock
from store.errors import usage
from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question
from tasks.evaluation.golden_lines import rows

REVIEWED = "reviewed"
"""What `made_by` ends with once somebody has accepted a question."""


@dataclass
class Review:
    """The questions of a file; what is dropped leaves it, what is accepted is marked in `made_by`."""

    file: Path
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _questions: list[Question] = field(default_factory=list)
    accepted: int = 0
    dropped: int = 0

    @classmethod
    def of(cls, file: Path) -> Review:
        """Raises WhereinError (exit 2) for a file that cannot be read, and for a folder of judgements."""
        if file.is_dir():
            raise usage(f"{file} is a folder of queries and judgements: review takes a file of JSON lines.", "golden")
        questions = golden_files.read(file)
        if not os.access(file, os.W_OK):
            raise usage(f"{file} is read-only, so no decision can be kept: review a copy.", "golden")
        return cls(file, [row for _, row in rows(file)], questions)

    def waiting(self) -> Iterator[Question]:
        """The questions that nobody has decided on, each when the one before is decided, or passed over."""
        for question in list(self._questions):
            if not is_reviewed(question):
                yield question

    @property
    def left(self) -> int:
        return sum(not is_reviewed(question) for question in self._questions)

    def accept(self, question: Question) -> None:
        at = self._questions.index(question)
        made_by = f"{question.made_by}, {REVIEWED}" if question.made_by else REVIEWED
        accepted = {**self._rows[at], "made_by": made_by}
        self._write(self._rows[at], [accepted])
        self._rows[at], self._questions[at] = accepted, replace(question, made_by=made_by)
        self.accepted += 1

    def drop(self, question: Question) -> None:
        at = self._questions.index(question)
        self._write(self._rows[at], [])
        del self._rows[at], self._questions[at]
        self.dropped += 1

    def _write(self, old: dict[str, Any], new: list[dict[str, Any]]) -> None:
        """Put a line in the place of another in what the file holds by now: somebody else may review it too."""
        with lock.rewriting(self.file.absolute().parent):
            lines = [_line(row) for _, row in rows(self.file)]
            if _line(old) in lines:
                at = lines.index(_line(old))
                lines[at : at + 1] = map(_line, new)
                disk.write_file(self.file, lines)


def _line(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def is_reviewed(question: Question) -> bool:
    return question.made_by.endswith(REVIEWED)
