"""The files an evaluation leaves: the page, its data, a row per question and arm, judgements and rankings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store import disk, lock
from tasks.evaluation import trec
from wherein.pipelines.evaluation import golden_set, units
from wherein.pipelines.evaluation.arms import CURRENT
from wherein.pipelines.evaluation.evaluate import EvaluateOptions
from wherein.pipelines.evaluation.evaluation import Evaluated, Evaluation
from wherein.pipelines.evaluation.gate import earlier, gate
from wherein.pipelines.evaluation.history import FILE, History, entry
from wherein.pipelines.evaluation.page import page
from wherein.pipelines.kept_out import keep_out
from wherein.pipelines.writable import can_write
from wherein.workspace import Workspace


def ready(workspace: Workspace, options: EvaluateOptions, out: Path | None, *, gated: bool = False) -> None:
    """Raise (exit 1 or 2) before the work what would stop `write` after it."""
    past = History.read(history_file(workspace))
    can_write(out if out is not None else workspace.results)
    if gated:
        earlier(past, options.golden, golden_set.digest(options.golden, options.limit), CURRENT)


def write(workspace: Workspace, out: Path | None, done: Evaluation, *, gated: bool = False) -> Evaluation:
    """report.html, report.json, rows.jsonl, qrels.txt and run.<arm>.txt, in RESULTS/evaluate or a folder named.

    The evaluation is entered in the history too. With `gated` it is first judged by the last one of the same
    questions; raises WhereinError (exit 2) if there is none. Returns the evaluation with its folder and regressions.
    """
    past = History.read(history_file(workspace))
    moment = datetime.fromtimestamp(done.started, UTC)
    folder = out if out is not None else workspace.run_folder("evaluate", moment, done.golden.digest)
    rows = [row.to_json() for one in done.measured for row in one.rows]
    worse = tuple(gate({**done.to_json(), "rows": rows}, past)) if gated else ()
    done = replace(done, folder=folder, regressions=worse)
    report = done.to_json()
    with lock.rewriting(folder):
        _forget_earlier(folder)
        keep_out(workspace, folder, ("qrels.txt", "run.*.txt"))
        _write(folder / "rows.jsonl", "".join(f"{_json(row)}\n" for row in rows))
        _write(folder / "report.json", json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        _write(folder / "report.html", page({**report, "rows": rows}))
        _write_for_others(folder, done)
        told = entry(report, folder, past.path, workspace.settings.model_dump(), regressed=bool(worse))
    past.appended(told)
    return done


def _forget_earlier(folder: Path) -> None:
    """Remove the rankings of an earlier evaluation in the same folder: this one may have other arms."""
    try:
        earlier = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        names = _names([str(arm["name"]) for arm in earlier["arms"]])
    except (OSError, ValueError, KeyError, TypeError):
        names = []  # none was here, or something else lies there
    for name in names:
        disk.remove(folder / f"run.{name}.txt")


def _write_for_others(folder: Path, done: Evaluation) -> None:
    """Judgements and rankings as TREC files."""
    judged = {question.id: units.judged(question) for question in done.golden.questions if question.answerable}
    trec.write_qrels(folder / "qrels.txt", judged)
    for name, one in zip(_names([one.arm.name for one in done.measured]), done.measured, strict=True):
        trec.write_run(folder / f"run.{name}.txt", _run(one), name)


def history_file(workspace: Workspace) -> Path:
    return workspace.results / "evaluate" / FILE


def _run(one: Evaluated) -> dict[str, list[str]]:
    return {row.id: list(row.ranking) for row in one.answerable}


def _names(arms: Iterable[str]) -> list[str]:
    """File names of arms, each its own."""
    names: list[str] = []
    for arm in arms:
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", arm).strip("-") or "arm"
        taken = sum(name == slug or name.startswith(f"{slug}~") for name in names)
        names.append(f"{slug}~{taken + 1}" if taken else slug)
    return names


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(file: Path, text: str) -> None:
    disk.write_file(file, [text.encode("utf-8", "replace")])
