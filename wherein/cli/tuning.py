"""`wherein tune`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.evaluating import DEFAULT, golden_file
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.progress import progress_bar
from wherein.cli.times import counted, seconds

if TYPE_CHECKING:
    from wherein.pipelines.evaluation.tune import Tuning

Golden = Annotated[Path | None, typer.Option("--golden", metavar="FILE", help=f"Golden questions. {DEFAULT}")]
Apply = Annotated[bool, typer.Option("--apply", help="Write the change into wherein.toml, if it holds.")]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first N questions.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Write the evidence here.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of folds and resampling.")]


@command("tune", "Quality")
def tune(
    call: Call, golden: Golden = None, apply: Apply = False, limit: Limit = None, seed: Seed = 0, out: Out = None
) -> int:
    """Look for better settings on golden questions.

    Only what holds on questions held out counts.
    """
    from store import disk
    from wherein.pipelines.evaluation import settings_file
    from wherein.pipelines.evaluation.evaluate import EvaluateOptions
    from wherein.pipelines.evaluation.tune import tune as run
    from wherein.pipelines.writable import can_write
    from wherein.settings import FILE

    golden = golden_file(call.workspace, golden)
    can_write(out if out is not None else call.workspace.results)
    with progress_bar(call, "questions") as progress:
        done = run(call.workspace, EvaluateOptions(golden, limit=limit, seed=seed), progress)
    moment = datetime.fromtimestamp(done.started, UTC)
    folder = out if out is not None else call.workspace.run_folder("tune", moment, done.golden.digest)
    applied = apply and done.adopted
    report = {**done.to_json(), "applied": applied, "folder": str(folder)}
    disk.make_folder(folder)
    disk.write_file(folder / "tune.json", [f"{json.dumps(report, ensure_ascii=False, indent=1)}\n".encode()])
    if applied:
        settings_file.write(call.workspace.folder / FILE, done.changes)
    if call.as_json:
        return call.document(report)
    show(done)
    call.notes(*done.notes)
    print_line(f"wherein.toml was changed. Evidence: {folder}" if applied else one_line(f"Evidence: {folder}"))
    return 0


def show(done: Tuning) -> None:
    """What was tried, what it would change, and whether that holds."""
    answerable = sum(question.answerable for question in done.golden.questions)
    print_line(f"{counted(done.tried, 'setting')} tried on {counted(answerable, 'question')}, {seconds(done.seconds)}")
    present, held_out = done.means["present"], done.means["held_out"]
    for measure, difference in done.differences.items():
        if measure in present:
            print_line(f"{measure:<12} {present[measure]:.3f}, held out {held_out[measure]:.3f} ({difference.verdict})")
    for key, value in done.changes:
        print_line(f"  {key} = {value}  (now {dict(done.present)[key]})")
    print_line(done.sentence)
