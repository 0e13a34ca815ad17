"""The reference of all commands, from their own help: `python -m wherein.cli.reference > docs/cli.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from wherein.cli.app import app

_COLUMNS = 100
_INTRODUCTION = """\
# The command line

Made from the program's own help by `python -m wherein.cli.reference`. `python -m wherein` is the same program.
Results go to stdout, everything else to stderr; `--json` prints exactly one JSON document, on failure
`{"error": {"code", "kind", "message"}}`.

| exit | meaning |
|---|---|
| 0 | done |
| 1 | failed: nothing useful was done |
| 2 | wrong usage or settings |
| 3 | partial: useful work was done, something was left out |
| 4 | nothing found, or refused for lack of evidence |
| 5 | busy: another process writes this collection |
| 6 | a quality gate was not met |
| 130 | interrupted |
"""


def reference() -> str:
    """Markdown: a heading and the help of the program and of every command."""
    root: Any = typer.main.get_command(app)
    return "\n".join([_INTRODUCTION, *_sections(root, None, "wherein")])


def _sections(command: Any, parent: Any, name: str) -> Iterator[str]:
    with command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=_COLUMNS, max_content_width=_COLUMNS
    ) as context:
        help_text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        yield f"## {context.command_path}\n\n```\n{help_text}\n```\n"
        for below in command.list_commands(context) if hasattr(command, "list_commands") else ():
            yield from _sections(command.commands[below], context, below)


if __name__ == "__main__":
    sys.stdout.write(reference())
