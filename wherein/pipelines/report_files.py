"""The files a comparison leaves: the page, its data, and one text for each answer."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Container
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from store import disk
from wherein.pipelines.comparison import Compared, Comparison, QuestionComparison
from wherein.pipelines.report import page
from wherein.workspace import Workspace


def write(workspace: Workspace, done: Comparison, out: Path | None) -> Comparison:
    """Write report.html, report.json and one text file an answer; returns the comparison with its folder."""
    now = datetime.now(workspace.zone)
    name = f"{now.strftime('%Y%m%dT%H%M%S')}-{done.questions[0].evidence_digest[:8]}"
    folder = out if out is not None else workspace.results / "compare" / name
    done = replace(done, folder=folder)
    disk.make_folder(folder)
    for file, text in texts(done).items():
        _write(folder / file, text)
    _write(folder / "report.json", json.dumps(done.to_json(), ensure_ascii=False, indent=1) + "\n")
    _write(folder / "report.html", page(done, now.isoformat(" ", "minutes")))
    return done


def texts(done: Comparison) -> dict[str, str]:
    """File names and what goes there; models whose names make the same file name get numbered ones."""
    found: dict[str, str] = {}
    for number, one in enumerate(done.questions, 1):
        for answer in one.answers:
            name = file_name(answer, number if len(done.questions) > 1 else None, _repeats(one) > 1)
            found[_free(name, found)] = _text(one, answer)
    return found


def _free(name: str, taken: Container[str]) -> str:
    stem = name.removesuffix(".txt")
    others = (f"{stem}_{count}.txt" for count in itertools.count(2))
    return next(free for free in itertools.chain([name], others) if free not in taken)


def _write(file: Path, text: str) -> None:
    """Half a surrogate pair, which a model may emit, is written as a question mark."""
    disk.write_file(file, [text.encode("utf-8", "replace")])


def _repeats(one: QuestionComparison) -> int:
    return max((answer.repeat for answer in one.answers), default=1)


def file_name(answer: Compared, question: int | None, repeated: bool) -> str:
    """results_<model slug>_t<temperature>[_q<i>][_r<n>].txt"""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", answer.model)
    name = f"results_{slug}_t{answer.temperature:g}"
    name += f"_q{question}" if question is not None else ""
    return name + (f"_r{answer.repeat}" if repeated else "") + ".txt"


def _text(one: QuestionComparison, answer: Compared) -> str:
    head = {
        "question": one.question,
        "evidence": one.evidence_digest,
        "model": answer.model,
        "temperature": f"{answer.temperature:g}" + ("" if answer.controlled else " (uncontrolled)"),
        "seed": str(answer.seed),
        "seconds": f"{answer.seconds.total:.2f}",
        "status": answer.status,
    }
    sources = [f"[{n}] {hit.path}:{hit.line_start}" for n, hit in enumerate(one.passages, 1)]
    lines = [f"{key}: {value}" for key, value in head.items()]
    return "\n".join([*lines, "", answer.error or answer.answer, "", *sources, ""])
