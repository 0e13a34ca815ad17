"""The program that commands register with, and how its help looks."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

EPILOG = "--json, --quiet, --debug, --workspace DIR and --set KEY=VALUE go with every command, before or after it."
ORDER = (
    "init", "ingest", "search", "ask", "compare", "status", "files", "show", "keywords", "evaluate", "golden", "tune",
    "models", "doctor", "answers", "generations", "backup", "restore", "purge", "up", "down", "demo",
)  # fmt: skip


class Leaf(TyperCommand):
    """A command whose help names its arguments as people write them."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.translate({ord("{"): None, ord("}"): None}) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            found = [p.get_help_record(ctx) for p in self.get_params(ctx) if p.param_type_name == kind]
            rows = [(name.partition(" <")[0], text) for name, text in filter(None, found)]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Panels(TyperGroup):
    """Commands under the headings they were registered with, in one fixed order."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(self.commands, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.commands[name]
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
