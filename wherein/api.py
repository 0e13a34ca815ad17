"""The same pipelines for programs: no Prefect, no printing, errors as WhereinError."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wherein.workspace import Workspace

if TYPE_CHECKING:
    from store.records import Evidence
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.compare import Comparison
    from wherein.pipelines.evaluation.evaluation import Evaluation
    from wherein.pipelines.ingest import IngestReport


def ingest(collections: Sequence[str] = (), workspace: Workspace | None = None, **options: Any) -> list[IngestReport]:
    """Bring indexes up to their folders; `options` are those of IngestOptions."""
    from wherein.pipelines.ingest import ingest as run
    from wherein.pipelines.plan import IngestOptions

    found = workspace or Workspace.find()
    return [run(found, name, IngestOptions(**options)) for name in found.names(collections)]


def search(query: str, workspace: Workspace | None = None, **options: Any) -> Evidence:
    """The passages that answer a query; `options` are those of QueryOptions."""
    from wherein.pipelines.query import QueryOptions
    from wherein.pipelines.query import search as run

    return run(workspace or Workspace.find(), query, QueryOptions(**options))


def ask(
    question: str,
    workspace: Workspace | None = None,
    on_token: Callable[[str], None] | None = None,
    model: str | None = None,
    temperature: float | None = None,
    **options: Any,
) -> Answer:
    """An answer from the files, with its citations; `options` are those of QueryOptions."""
    from wherein.pipelines.ask import AskOptions
    from wherein.pipelines.ask import ask as run
    from wherein.pipelines.query import QueryOptions

    chosen = AskOptions(QueryOptions(**options), model=model, temperature=temperature)
    return run(workspace or Workspace.find(), question, chosen, on_token)


def compare(
    questions: Sequence[str],
    models: Sequence[str],
    temperatures: Sequence[float] = (),
    repeat: int = 1,
    workspace: Workspace | None = None,
    **options: Any,
) -> Comparison:
    """The same evidence and messages for every model and temperature; `options` are those of QueryOptions."""
    from wherein.pipelines.compare import CompareOptions
    from wherein.pipelines.compare import compare as run
    from wherein.pipelines.query import QueryOptions

    chosen = CompareOptions(QueryOptions(**options), tuple(models), tuple(temperatures), repeat)
    return run(workspace or Workspace.find(), list(questions), chosen)


def evaluate(
    golden: Path | str, arms: Sequence[str] = (), workspace: Workspace | None = None, limit: int | None = None
) -> Evaluation:
    """Golden questions under the present settings and in each arm (`NAME:KEY=VALUE,…`; by default a small matrix)."""
    from wherein.pipelines.evaluation.arms import parse
    from wherein.pipelines.evaluation.evaluate import EvaluateOptions
    from wherein.pipelines.evaluation.evaluate import evaluate as run

    chosen = EvaluateOptions(Path(golden), tuple(parse(text) for text in arms), limit=limit)
    return run(workspace or Workspace.find(), chosen)
