"""Answers of the query flow, kept in the results folder."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

from store import disk
from wherein.pipelines.answer import Answer
from wherein.workspace import Workspace


def digest(*texts: str) -> str:
    """Eight hexadecimal digits that stand for some texts."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:8]


def write_answer(workspace: Workspace, answer: Answer) -> Path:
    """Write RESULTS/query/<time>-<digest of the question>.json; the same second and question get a number."""
    folder = workspace.results / "query"
    disk.make_folder(folder)
    stem = f"{datetime.now(workspace.zone).strftime('%Y%m%dT%H%M%S')}-{digest(answer.question)}"
    names = (f"{stem}{f'-{number}' if number > 1 else ''}.json" for number in range(1, 1000))
    file = next(folder / name for name in names if not (folder / name).exists())
    disk.write_file(file, [(json.dumps(answer.to_json(), ensure_ascii=False, indent=1) + "\n").encode()])
    return file
