"""Dates in questions on a dated diary: `python -m bench.dates FOLDER [--days N]`.

FOLDER is an indexed workspace whose files are named by day, with `golden.jsonl` (see `bench.judged_workspace`). Every
golden question of kind date or date-range is asked; those without a figure need knowledge from outside and are
reported apart. Then N days are drawn, each asked for in every wording of WORDINGS, without a reranker. One JSON line.
"""

from __future__ import annotations

import argparse
import json
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question
from wherein.pipelines.query import QueryOptions, Trail, search
from wherein.workspace import Workspace

WORDINGS = ("What happened on {0.day} {0:%B} {0.year}?", "{0:%B} {0.day}, {0.year}", "notes from {0:%Y-%m-%d}")
SPANS = (("the first days of {0:%B} {0.year}", 7), ("{0:%B} {0.year}", 31), ("the first week of {0:%B} {0.year}", 7))


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=100)
    given = parser.parse_args()
    workspace = Workspace.find(given.folder)
    asked = [q for q in golden_files.read(given.folder / "golden.jsonl") if (q.kind or "").startswith("date")]
    files = sorted(date.fromisoformat(path.stem) for path in (given.folder / "files").iterdir())
    drawn = random.Random(1).sample(files, min(given.days, len(files)))
    line = {"golden": [_golden(workspace, q) for q in asked], "days": _days(workspace, drawn)}
    print(json.dumps(line | {"spans": _spans(workspace, drawn)}))


def _golden(workspace: Workspace, question: Question) -> dict[str, Any]:
    trails: list[Trail] = []
    found = search(workspace, question.question, seen=trails.append)
    wanted = {entry.path for entry in question.relevant}
    nominated = _nominated(trails[0])
    first = next((hit.rank for hit in found.hits if hit.path in wanted), None)
    return {
        "question": question.question,
        "stated": any(c.isdigit() for c in question.question),
        "kind": question.kind,
        "rank": first,
        "nominated": len(nominated),
        "inside": sum(path in wanted for path in nominated),
    }


def _nominated(trail: Trail) -> list[str]:
    """The path of every passage that the date channel nominated, shown or not."""
    return [entry.key[1] for entry in trail.channels.get("date", ())]


def _days(workspace: Workspace, drawn: list[date]) -> dict[str, Any]:
    """How often the stated day's entry is first, by wording."""
    first = dict.fromkeys(WORDINGS, 0)
    for day in drawn:
        for wording in WORDINGS:
            found = search(workspace, wording.format(day), QueryOptions(rerank=False, k=1))
            first[wording] += bool(found.hits) and found.hits[0].path == f"{day}.txt"
    return {"asked": len(drawn), "first": first}


def _spans(workspace: Workspace, drawn: list[date]) -> dict[str, Any]:
    """Of what was nominated for a stated range, how much lies in it."""
    counts = {wording: [0, 0] for wording, _ in SPANS}
    for day in drawn:
        for wording, length in SPANS:
            first = day.replace(day=1)
            trails: list[Trail] = []
            search(workspace, wording.format(day), QueryOptions(rerank=False, k=1), trails.append)
            days = [date.fromisoformat(Path(path).stem) for path in _nominated(trails[0])]
            last = min(first + timedelta(days=length), (first + timedelta(days=32)).replace(day=1))
            counts[wording][0] += sum(first <= each < last for each in days)
            counts[wording][1] += len(days)
    return {wording: {"inside": inside, "nominated": of} for wording, (inside, of) in counts.items()}


if __name__ == "__main__":
    main()
