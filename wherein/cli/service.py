"""`wherein up`, `wherein down`: the refresh by the clock."""

from __future__ import annotations

import sys

from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import one_line

_PANEL = "By the clock"


@command("up", _PANEL)
def up(call: Call) -> int:
    """Refresh by the schedule, with runs shown in Prefect.

    Until Ctrl-C or `wherein down`.
    """
    from flows.service import up as serve

    return serve(call.workspace, _say)


@command("down", _PANEL)
def down(call: Call) -> int:
    """End what `wherein up` started in this workspace."""
    from flows.service import down as end

    ended = end(call.workspace)
    if call.as_json:
        return call.document({"ended": ended})
    print_line("Ended." if ended else "Nothing is up in this workspace.")
    return 0


def _say(text: str) -> None:
    """At once, also where stdout is a file or a pipe."""
    print_line(one_line(text))
    sys.stdout.flush()
