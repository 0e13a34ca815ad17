"""`wherein generations` and `wherein purge`: what is kept on disk."""

from __future__ import annotations

from wherein.cli.command import Call, command
from wherein.cli.looking import Chosen
from wherein.cli.output import print_line
from wherein.cli.times import counted, size

_PANEL = "Answers and generations"


@command("generations", _PANEL)
def generations(call: Call, collections: Chosen = None) -> int:
    """List the published states that are still on disk."""
    from store.records import to_json
    from wherein.pipelines.generations import generations as run

    entries = run(call.workspace, collections or ())
    if call.as_json:
        return call.document(to_json(entries))
    for entry in entries:
        facts = f"{counted(entry.files, 'file')}, {counted(entry.chunks, 'chunk')}{', in use' if entry.in_use else ''}"
        print_line(f"{entry.collection} {entry.number}  {entry.published_at}  {facts}")
    return 0


@command("purge", _PANEL)
def purge(call: Call, collections: Chosen = None) -> int:
    """Keep the current state alone, so that deleted text is gone from the index."""
    from store.purge import purge as run
    from store.records import to_json

    workspace = call.workspace
    entries = [run(workspace.folder_of(name), name) for name in workspace.names(collections or ())]
    if call.as_json:
        return call.document(to_json(entries))
    for entry in entries:
        sizes = f"{size(entry.bytes_before)} before, {size(entry.bytes_after)} now"
        print_line(f"{entry.collection} {entry.generation}  {sizes}")
    return 0
