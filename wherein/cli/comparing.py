"""`wherein compare`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import usage
from wherein.cli.command import Call, command
from wherein.cli.compared import model_line, show_comparison, show_plan
from wherein.cli.output import print_aside
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded

if TYPE_CHECKING:
    from wherein.pipelines.compare import CompareOptions, Comparison
    from wherein.pipelines.compare_plan import Plan

Words = Annotated[list[str] | None, typer.Argument(metavar="QUESTION", help="One question; - reads it from stdin.")]


@dataclass(frozen=True)
class CompareFlags:
    """What `compare` has beside the flags of a search."""

    models: Annotated[list[str] | None, typer.Option("--model", metavar="NAME", help="A model; repeatable.")] = None
    temperatures: Annotated[
        list[float] | None, typer.Option("--temperature", metavar="T", help="A temperature; repeatable.")
    ] = None
    repeat: Annotated[int, typer.Option(metavar="N", min=1, help="Each so often, with seeds counting up.")] = 1
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="One question a line, or JSON lines with a `question`.")
    ] = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the report here.")] = None
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed.")] = None
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="The longest answer.")] = None
    prompt: Annotated[str | None, typer.Option(metavar="NAME", help="Which prompt template.")] = None
    anyway: Annotated[bool, typer.Option("--anyway", help="Ask even where nothing relevant was found.")] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and what it may cost; ask no model.")
    ] = False

    def options(self, flags: QueryFlags) -> CompareOptions:
        """As the pipeline takes them."""
        from wherein.pipelines.compare import CompareOptions

        return CompareOptions(
            query=flags.options(),
            models=tuple(self.models or ()),
            temperatures=tuple(self.temperatures or ()),
            repeat=self.repeat,
            out=self.out,
            anyway=self.anyway,
            seed=self.seed,
            max_tokens=self.max_tokens,
            prompt=self.prompt,
        )


@command("compare", "Everyday")
def compare(call: Call, flags: QueryFlags, own: CompareFlags, words: Words = None) -> int:
    """Ask several models the same, on the same passages."""
    questions = [asked(words, "question")] if words else []
    questions += _read(own.questions) if own.questions is not None else []
    options = own.options(flags)
    if own.dry_run:
        return _planned(call, questions, options)
    done = _compared(call, questions, options)
    if call.as_json:
        return call.document(done.to_json(), done.code)
    show_comparison(call, done)
    return done.code


def _planned(call: Call, questions: list[str], options: CompareOptions) -> int:
    from wherein.pipelines.compare_plan import plan

    found = plan(call.workspace, questions, options)
    if call.as_json:
        return call.document(found.to_json(), found.code)
    show_plan(found)
    call.notes(*found.notes)
    return found.code


def _compared(call: Call, questions: list[str], options: CompareOptions) -> Comparison:
    """What it may cost is said before the first request, unless nothing has a price."""
    from wherein.cli.progress import progress_bar
    from wherein.pipelines.compare import compare as run

    def before(found: Plan) -> None:
        for one in found.models if found.price and not call.quiet else ():
            print_aside(model_line(one))

    with progress_bar(call, "answers") as progress:
        return recorded("compare", call, lambda: run(call.workspace, questions, options, progress, before), *questions)


def _read(file: Path) -> list[str]:
    """Questions of a file; raises WhereinError (exit 2) if there are none."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        found = [_question(line) for line in lines if line.strip()]
    except OSError as error:
        raise usage(f"Cannot read {file}: {error.strerror}.", kind="usage") from error
    except (ValueError, KeyError, TypeError) as error:
        raise usage(f"{file} is no list of questions ({error}): write one a line.", kind="usage") from error
    if not all(found) or not found:
        raise usage(f"{file} holds no question: write one a line.", kind="usage")
    return found


def _question(line: str) -> str:
    if line.lstrip().startswith("{"):
        return str(json.loads(line)["question"]).strip()
    return line.strip()
