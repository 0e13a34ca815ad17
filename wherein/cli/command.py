"""What every command is given, and how a function becomes a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherein.cli.output import print_aside, print_json
from wherein.cli.root import Leaf, app

if TYPE_CHECKING:
    from wherein.workspace import Workspace

Function = Callable[..., int]
"""A command: its first parameter is the Call; it returns the exit code."""
Parameters = Mapping[str, inspect.Parameter]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Folder = Annotated[
    Path | None, typer.Option("--workspace", metavar="DIR", help="The folder of wherein.toml, instead of looking up.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting for this call, as retrieval.k=10; repeatable."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]


@dataclass(frozen=True)
class Call:
    """The options that all commands share."""

    as_json: Json = False
    within_folder: Folder = None
    overrides: Overrides = None
    quiet: Quiet = False
    debug: Debug = False

    @cached_property
    def workspace(self) -> Workspace:
        """Found, and its settings read, on first use; raises WhereinError (exit 2)."""
        from wherein import environment  # noqa: F401
        from wherein.workspace import Workspace

        return Workspace.find(self.within_folder, self.overrides or ())

    def note(self, text: str) -> None:
        """Something beside the result, to stderr; with --json the document holds it."""
        if not self.quiet and not self.as_json:
            print_aside(text)

    def notes(self, *texts: str) -> None:
        """What the pipelines had to say, less what is empty."""
        for text in texts:
            if text:
                self.note(f"note: {text}")

    def document(self, value: Any, code: int = 0) -> int:
        """Print the JSON document and pass the exit code on."""
        print_json(value)
        return code

    def within(self, outer: Call) -> Call:
        """With what was given to the group of this command."""
        return replace(
            self,
            as_json=self.as_json or outer.as_json,
            within_folder=self.within_folder or outer.within_folder,
            overrides=[*(outer.overrides or ()), *(self.overrides or ())],
            quiet=self.quiet or outer.quiet,
            debug=self.debug or outer.debug,
        )


def command(
    name: str, panel: str | None = None, group: typer.Typer = app, **settings: Any
) -> Callable[[Function], Function]:
    """Register a function as a command, listed under the heading `panel`."""

    def register(function: Function) -> Function:
        group.command(name, cls=Leaf, rich_help_panel=panel, **settings)(flattened(function))
        return function

    return register


def group(name: str, panel: str) -> Callable[[Function], typer.Typer]:
    """A command that stands alone, and has others below it: `answers`, `answers show`."""

    def register(function: Function) -> typer.Typer:
        below = typer.Typer(rich_markup_mode=None, subcommand_metavar="[COMMAND]")
        below.callback(invoke_without_command=True)(flattened(function))
        app.add_typer(below, name=name, rich_help_panel=panel)
        return below

    return register


def flattened(function: Function) -> Function:
    """The function as Typer reads it: a parameter that is a dataclass becomes an option for each of its fields."""
    own = inspect.signature(function, eval_str=True).parameters
    fields = {name: inspect.signature(p.annotation, eval_str=True).parameters for name, p in own.items() if _bundle(p)}

    def command(invocation: typer.Context, **given: Any) -> int:
        bundles = {name: own[name].annotation(**_taken(given, parts)) for name, parts in fields.items()}
        for name, bundle in bundles.items():
            if isinstance(bundle, Call):
                bundles[name] = invocation.obj = bundle.within(invocation.obj) if invocation.obj else bundle
        return 0 if invocation.invoked_subcommand else function(**given, **bundles)

    _describe(command, function, own, fields)
    return command


def _bundle(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _taken(given: dict[str, Any], parts: Parameters) -> dict[str, Any]:
    return {name: given.pop(name) for name in parts}


def _describe(command: Function, function: Function, own: Parameters, fields: Mapping[str, Parameters]) -> None:
    """Own parameters first, those that all commands share last."""
    ordered = [p for name, p in own.items() if name not in fields]
    for parts in reversed(list(fields.values())):
        ordered += parts.values()
    invocation = inspect.Parameter("invocation", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [invocation, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in ordered)]
    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
