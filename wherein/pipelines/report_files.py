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
from wherein.pipelines.kept_out import keep_out
from wherein.pipelines.report import page
from wherein.workspace import Workspace


class Report:
    """The folder of one comparison: each answer is written when it comes, the rest at the end.

    `questions`, `repeats`: how many there are; models whose names make the same file name get numbered ones.
    """

    def __init__(self, workspace: Workspace, out: Path | None, digest: str, questions: int, repeats: int) -> None:
        self._now = datetime.now(workspace.zone)
        self.folder = out if out is not None else workspace.run_folder("compare", self._now, digest)
        self._workspace = workspace
        self._several = questions > 1
        self._repeated = repeats > 1
        self._taken: set[str] = set()

    def keep(self, number: int, one: QuestionComparison, answer: Compared) -> None:
        """Write the text file of an answer to the question of that number, from 1."""
        name = _free(file_name(answer, number if self._several else None, self._repeated), self._taken)
        self._taken.add(name)
        disk.make_folder(self.folder)
        _write(self.folder / name, _text(one, answer))

    def close(self, done: Comparison) -> Comparison:
        """Write report.json and report.html; returns the comparison with its folder."""
        done = replace(done, folder=self.folder)
        disk.make_folder(self.folder)
        keep_out(self._workspace, self.folder, ("results_*.txt",))
        _write(self.folder / "report.json", json.dumps(done.to_json(), ensure_ascii=False, indent=1) + "\n")
        _write(self.folder / "report.html", page(done, self._now.isoformat(" ", "minutes")))
        return done


def _free(name: str, taken: Container[str]) -> str:
    stem = name.removesuffix(".txt")
    others = (f"{stem}_{count}.txt" for count in itertools.count(2))
    return next(free for free in itertools.chain([name], others) if free not in taken)


def _write(file: Path, text: str) -> None:
    """Half a surrogate pair, which a model may emit, is written as a question mark."""
    disk.write_file(file, [text.encode("utf-8", "replace")])


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
