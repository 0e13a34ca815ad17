"""`wherein ingest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from store.errors import PARTIAL, WhereinError
from wherein.cli.command import Call, command
from wherein.cli.output import print_aside, print_line
from wherein.cli.plain import one_line
from wherein.cli.run import recorded
from wherein.cli.times import counted, seconds

if TYPE_CHECKING:
    from wherein.pipelines.ingest import IngestReport
    from wherein.pipelines.plan import IngestOptions

Names = Annotated[list[str] | None, typer.Argument(metavar="COLLECTION", help="Which ones; all by default.")]
_SHOWN_PROBLEMS = 20


@command("ingest", "Everyday")
def ingest(
    call: Call,
    names: Names = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and roughly what it would cost.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Read every file again, whatever its time says.")] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build the index anew, from remembered embeddings.")
    ] = False,
    forget: Annotated[bool, typer.Option("--forget", help="With --rebuild: embed every text again.")] = False,
    allow_deletes: Annotated[bool, typer.Option("--allow-deletes", help="Go on although most files are gone.")] = False,
    wait: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="Wait so long for another writer to end.")
    ] = 0.0,
) -> int:
    """Bring the index up to date with the files.

    Only what changed is read, and only texts that are new are embedded.
    """
    from wherein.pipelines.plan import IngestOptions

    if forget and not rebuild:
        raise WhereinError("--forget goes with --rebuild only.", kind="usage", code=2)
    options = IngestOptions(dry_run, verify, rebuild, forget, allow_deletes, wait)
    chosen = call.workspace.names(names or ())
    outcomes = {name: _one(call, name, options, alone=len(chosen) == 1) for name in chosen}
    codes = {outcome.code for outcome in outcomes.values()}
    code = codes.pop() if len(codes) == 1 else PARTIAL
    if call.as_json:
        return call.document([_json(name, outcome) for name, outcome in outcomes.items()], code)
    return code


def _one(call: Call, name: str, options: IngestOptions, *, alone: bool) -> IngestReport | WhereinError:
    """Ingest a collection and tell of it; where there are others, an error does not stop them."""
    from wherein.cli.progress import progress_bar
    from wherein.pipelines.ingest import ingest as run

    try:
        with progress_bar(call) as progress:
            report = recorded("ingest", call, lambda: run(call.workspace, name, options, progress), name)
    except WhereinError as error:
        if alone:
            raise
        if not call.as_json:
            print_aside(f"{name}: {error.message}")
        return error
    if not call.as_json:
        _show(call, report)
    return report


def _json(name: str, outcome: IngestReport | WhereinError) -> Any:
    from store.records import to_json

    if isinstance(outcome, WhereinError):
        error = {"code": outcome.code, "kind": outcome.kind, "message": outcome.message}
        return {"collection": name, "error": error}
    return to_json(outcome)


def _show(call: Call, report: IngestReport) -> None:
    call.notes(*(f"{report.collection}: {note}" for note in report.notes))
    for problem in report.problems[:_SHOWN_PROBLEMS]:
        call.note(f"{problem.path}: {problem.reason} ({problem.kind})")
    more = len(report.problems) - _SHOWN_PROBLEMS
    if more > 0:
        call.note(f"and {more:,} more: wherein files --state failed, or skipped, or pending")
    print_line(one_line(_summary(report)))


def _summary(report: IngestReport) -> str:
    """`notes: 3 added, 120 unchanged · 340 chunks (+12 -2) · 12 embedded · generation 4 · 1.2 s`."""
    counts = [f"{count:,} {event}" for event, count in report.files.items() if count]
    parts = [", ".join(counts) or "no files"]
    if report.pending:
        parts.append(f"{report.pending:,} pending")
    if report.dry_run:
        return f"{report.collection}: dry run: {' · '.join([*parts, _price(report)])}"
    change = f" (+{report.chunks['added']:,} -{report.chunks['removed']:,})" if _rewritten(report) else ""
    parts.append(counted(report.chunks["total"], "chunk") + change)
    if report.embedded or report.reused:
        parts.append(f"{report.embedded:,} embedded, {report.reused:,} reused")
    if report.sentences.get("written"):
        parts.append(f"{counted(report.sentences['written'], 'sentence')} written{_paid(report.sentences['cost'])}")
    return f"{report.collection}: {' · '.join([*parts, f'generation {report.generation}', seconds(report.seconds)])}"


def _rewritten(report: IngestReport) -> bool:
    return bool(report.chunks["added"] or report.chunks["removed"])


def _price(report: IngestReport) -> str:
    estimate = report.estimate
    told = f"about {counted(estimate['texts'], 'text')} ({counted(estimate['tokens'], 'token')}) to embed"
    told += _paid(estimate.get("cost"))
    asked = estimate.get("sentences")
    if asked:
        told += (
            f" · at most {counted(asked['calls'], 'sentence')} to be written by {asked['model']}"
            f" ({asked['prompt_tokens']:,} tokens in, {asked['completion_tokens']:,} out){_paid(asked['cost'])}"
        )
    return told


def _paid(cost: float | None) -> str:
    return f", for about {cost:.2f}" if cost else ""
