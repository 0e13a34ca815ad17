"""`wherein ask`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import visible
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded

if TYPE_CHECKING:
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.ask import AskOptions

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUESTION", help="Without one, questions are read line by line; - reads stdin as one."),
]


@dataclass(frozen=True)
class AskFlags:
    """What `ask` has beside the flags of a search."""

    model: Annotated[str | None, typer.Option(metavar="NAME", help="Which model answers.")] = None
    temperature: Annotated[float | None, typer.Option(metavar="T", help="0 to 2, sent as given.")] = None
    seed: Annotated[int | None, typer.Option(metavar="N", help="Sent as given.")] = None
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="The longest answer.")] = None
    prompt: Annotated[str | None, typer.Option(metavar="NAME", help="Which prompt template.")] = None
    anyway: Annotated[bool, typer.Option("--anyway", help="Ask even where nothing relevant was found.")] = False
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Show the answer when it is whole.")] = False
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not keep this answer.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the prompt; ask no model.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show stage times and usage.")] = False

    def options(self, flags: QueryFlags) -> AskOptions:
        """As the pipeline takes them."""
        from wherein.pipelines.ask import AskOptions

        return AskOptions(
            query=flags.options(),
            model=self.model,
            temperature=self.temperature,
            seed=self.seed,
            max_tokens=self.max_tokens,
            prompt=self.prompt,
            anyway=self.anyway,
            log=not self.no_log,
            dry_run=self.dry_run,
        )


@command("ask", "Everyday")
def ask(call: Call, flags: QueryFlags, own: AskFlags, words: Words = None) -> int:
    """Answer a question from the files, citations checked."""
    typed = not (words or call.as_json) and sys.stdin is not None and sys.stdin.isatty()
    questions = _typed() if typed else iter([asked(words or ["-"], "question")])
    options = own.options(flags)
    code = 0
    for question in questions:
        code = _ask(call, question, options, own)
    return code


def _typed() -> Iterator[str]:
    """Questions as they are typed, until an empty one; each stands alone."""
    while True:
        try:
            question = input("? ").strip()
        except EOFError:
            return
        if not question:
            return
        yield question


def _ask(call: Call, question: str, options: AskOptions, own: AskFlags) -> int:
    from wherein.pipelines.ask import ask as run

    written: list[str] = []
    streams = not (call.as_json or own.no_stream or own.dry_run) and sys.stdout.isatty()

    def show(token: str) -> None:
        written.append(token)
        sys.stdout.write(visible(token))
        sys.stdout.flush()

    on_token = show if streams else None
    answer = recorded("ask", call, lambda: run(call.workspace, question, options, on_token), question)
    if call.as_json:
        return call.document(answer.to_json(), answer.code)
    if own.dry_run:
        return _show_prompt(answer)
    from wherein.cli.answer import show_answer

    show_answer(call, answer, streamed="".join(written), verbose=own.verbose)
    return answer.code


def _show_prompt(answer: Answer) -> int:
    if not answer.messages:
        print_line(answer.answer)
    for message in answer.messages:
        print_line(f"--- {message['role']}\n{message['content']}")
    return answer.code
