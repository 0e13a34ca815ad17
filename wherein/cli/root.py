"""The program that commands register with."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

EPILOG = "--json, --quiet, --debug, --workspace DIR and --set KEY=VALUE go with every command, before or after it."


class Panels(TyperGroup):
    """Commands under the headings they were registered with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = str(getattr(command, "rich_help_panel", None) or "Commands")
            text = command.get_short_help_str(formatter.width - width - 6)
            panels.setdefault(panel, []).append((name.ljust(width), text))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


app = typer.Typer(
    cls=Panels,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from wherein import __version__

        typer.echo(f"wherein {__version__}")
        raise typer.Exit


@app.callback()
def program(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask your own files, and be shown where it says so."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
