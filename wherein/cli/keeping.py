"""`wherein generations`, `backup`, `restore` and `purge`: what is kept on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.looking import Chosen
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.times import counted, size

_PANEL = "Answers and generations"
File = Annotated[str, typer.Argument(metavar="FILE", help="The file of the backup.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write over what is there.")]


@command("generations", _PANEL)
def generations(
    call: Call,
    collections: Chosen = None,
    use: Annotated[
        str | None,
        typer.Option(metavar="N|latest", help="Go back to generation N until `--use latest`; it is kept so long."),
    ] = None,
) -> int:
    """List the states that are still on disk, or go back to one.

    While one is held, questions read it; ingests go on beside it.
    """
    from store.records import to_json
    from wherein.pipelines import generations as run

    chosen = collections or ()
    entries = run.generations(call.workspace, chosen) if use is None else run.use(call.workspace, use, chosen)
    if call.as_json:
        return call.document(to_json(entries))
    for entry in entries:
        facts = f"{counted(entry.files, 'file')}, {counted(entry.chunks, 'chunk')}, {size(entry.size_bytes)}"
        state = ", held until `--use latest`" if entry.held else ", in use" if entry.in_use else ""
        print_line(f"{entry.collection} {entry.number}  {entry.published_at}  {facts}{state}")
    return 0


@command("backup", _PANEL)
def backup(call: Call, file: File, collections: Chosen = None, replace: Replace = False) -> int:
    """Write the indexes into one file, checked and complete.

    It holds the indexed texts; answers and settings are not in it. It may be made while an ingest runs.
    """
    from store.records import to_json
    from wherein.pipelines.backups import backup as run

    done = run(call.workspace, Path(file), collections or (), replace=replace)
    if call.as_json:
        return call.document(to_json(done))
    call.notes(*done.notes)
    for entry in done.collections:
        facts = f"{counted(entry.files, 'file')}, {counted(entry.chunks, 'chunk')}, {size(entry.size_bytes)}"
        print_line(one_line(f"{entry.collection} {entry.generation}  {facts}  sha256 {entry.sha256}"))
    print_line(one_line(f"{done.file}  {size(done.size_bytes)}"))
    return 0


@command("restore", _PANEL)
def restore(call: Call, file: File, collections: Chosen = None, replace: Replace = False) -> int:
    """Put the indexes of a backup in place, without a model.

    Everything is checked before anything is touched, and each index is asked something at the end.
    """
    from store.records import to_json
    from wherein.pipelines.backups import restore as run

    done = run(call.workspace, Path(file), collections or (), replace=replace)
    if call.as_json:
        return call.document(to_json(done))
    for one in done:
        facts = f"{counted(one.files, 'file')}, {counted(one.chunks, 'chunk')}"
        print_line(f"{one.collection} {one.generation}  {facts}, restored and answering")
    return 0


@command("purge", _PANEL)
def purge(call: Call, collections: Chosen = None) -> int:
    """Remove all but the current state: deleted text is gone."""
    from store.log import AnswerLog
    from store.purge import purge as run
    from store.records import to_json

    workspace = call.workspace
    entries = [run(workspace.folder_of(name), name) for name in workspace.names(collections or ())]
    if call.as_json:
        return call.document(to_json(entries))
    if AnswerLog(workspace.log).recent(1):
        call.notes("answers that were kept may quote what is gone: `wherein answers purge` removes them")
    for entry in entries:
        sizes = f"{size(entry.bytes_before)} before, {size(entry.bytes_after)} now"
        print_line(f"{entry.collection} {entry.generation}  {sizes}")
    return 0
