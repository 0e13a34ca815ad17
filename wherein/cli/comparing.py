"""`wherein compare`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from store.errors import usage
from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded
from wherein.cli.times import counted

if TYPE_CHECKING:
    from wherein.pipelines.compare import CompareOptions, Comparison

Words = Annotated[list[str] | None, typer.Argument(metavar="QUESTION", help="One question; - reads it from stdin.")]
_COLUMNS = ("ok", "failed", "empty", "refused", "uncontrolled")


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
    from wherein.pipelines.compare import compare as run

    options = own.options(flags)
    done = recorded("compare", call, lambda: run(call.workspace, questions, options), *questions)
    if call.as_json:
        return call.document(done.to_json(), done.code)
    _show(call, done)
    return done.code


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


def _show(call: Call, done: Comparison) -> None:
    report = done.to_json()
    for one in done.questions:
        if not one.answers:
            print_line(one_line(f"Not in your files: {one.question}"))
        for answer in one.answers:
            print_line(one_line(f"{answer.model} at {answer.temperature:g}, seed {answer.seed}: {answer.status}"))
            print_line(f"{answer.error or answer.answer}\n")
    for row in report["summary"]:
        print_line(one_line(_row(row)))
    call.notes(*report["notes"])
    if done.folder is not None:
        print_line(f"Report: {done.folder}")


def _row(row: dict[str, Any]) -> str:
    """`model at 0.3: 2 answers, 2 ok · files_cited 3 · seconds 1.2`."""
    counts = ", ".join([counted(row["answers"], "answer"), *(f"{row[name]} {name}" for name in _COLUMNS if row[name])])
    means = " · ".join(f"{name} {value:g}" for name, value in row["means"].items() if value is not None)
    return f"{row['model']} at {row['temperature']:g}: {counts}{f' · {means}' if means else ''}"
