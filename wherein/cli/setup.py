"""`wherein init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.output import print_line


@command("init", "Everyday")
def init(
    call: Call,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with your files.")] = Path(),
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="default, or journal: a larger model, for dated entries.")
    ] = "default",
    force: Annotated[bool, typer.Option("--force", help="Write wherein.toml anew if it is there.")] = False,
) -> int:
    """Set up a folder: write its wherein.toml.

    It has one collection, the folder itself, and names the model for answers that runs here, if one does.
    """
    from wherein.pipelines.init import EXTRACTIVE, running_model
    from wherein.pipelines.init import init as run

    written = run(folder, profile, force=force, find=running_model)
    if call.as_json:
        return call.document({"file": str(written.file), "collection": written.collection, "model": written.model})
    print_line(f"Wrote {written.file}: collection {written.collection}, answers by {written.model}.")
    if written.model == EXTRACTIVE:
        call.note("No language model runs here: answers are the best sentences, quoted; set synthesis.model for one.")
    first = "wherein models pull, then wherein ingest" if profile == "journal" else "wherein ingest"
    call.note(f"Next: {first}, then wherein search or wherein ask.")
    return 0
