"""`wherein generations` and `wherein purge`: what is kept on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.looking import Chosen
from wherein.cli.output import print_line
from wherein.cli.times import counted, size

_PANEL = "Answers and generations"


@command("generations", _PANEL)
def generations(
    call: Call,
    collections: Chosen = None,
    use: Annotated[
        str | None,
        typer.Option(metavar="N|latest", help="Go back to generation N until `--use latest`; it is kept so long."),
    ] = None,
) -> int:
    """List the published states that are still on disk, or go back to one.

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


@command("purge", _PANEL)
def purge(call: Call, collections: Chosen = None) -> int:
    """Keep the current state alone, so that deleted text is gone from the index."""
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
