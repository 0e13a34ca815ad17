"""`wherein models` and `wherein doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wherein.cli.command import Call, command, group
from wherein.cli.output import print_line
from wherein.cli.plain import one_line

if TYPE_CHECKING:
    from wherein.pipelines.model_list import ModelEntry

_PANEL = "Models and health"


@group("models", _PANEL)
def models(call: Call) -> int:
    """Show the models in force, their files and licences."""
    from store.records import to_json
    from wherein.pipelines.model_list import model_list

    entries = model_list(call.workspace)
    if call.as_json:
        return call.document(to_json(entries))
    for entry in entries:
        for line in _lines(entry):
            print_line(one_line(line))
    return 0


def _lines(entry: ModelEntry) -> Iterator[str]:
    remote = ", remote: what it reads leaves this machine" if entry.remote else ""
    yield f"{entry.role}: {entry.model} ({entry.kind}{remote})"
    if entry.where:
        yield f"  at {entry.where}"
    if entry.sha256:
        yield f"  sha256 {entry.sha256}"
    if entry.revision:
        yield f"  revision {entry.revision}"
    if entry.licence:
        yield f"  licence {entry.licence}"
    if entry.problem:
        yield f"  problem: {entry.problem}"


@command("pull", group=models)
def pull(call: Call) -> int:
    """Fetch the Hugging Face models of the settings.

    This is the only command that calls the hub.
    """
    from store.records import to_json
    from wherein.pipelines.model_pull import pull as run

    pulled = run(call.workspace)
    if call.as_json:
        return call.document(to_json(pulled))
    for model in pulled:
        print_line(one_line(f"{model.model}: {model.where}"))
    if not pulled:
        print_line("Nothing to fetch: the settings name no model of the hub.")
    return 0


@command("doctor", _PANEL)
def doctor(
    call: Call,
    deep: Annotated[bool, typer.Option("--deep", help="Read every byte of every index and compare its parts.")] = False,
) -> int:
    """Check settings, folders, indexes and models.

    Nothing beyond this machine is called.
    """
    from store.records import to_json
    from wherein.pipelines.doctor import doctor as run

    found = run(call.workspace, deep=deep)
    if call.as_json:
        return call.document(to_json(found), found.code)
    for check in found.checks:
        print_line(one_line(f"{check.state:11} {check.name}: {check.detail}"))
    return found.code
