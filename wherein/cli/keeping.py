"""`wherein generations`: what is kept on disk."""

from __future__ import annotations

from wherein.cli.command import Call, command
from wherein.cli.looking import Chosen
from wherein.cli.output import print_line
from wherein.cli.times import counted

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
