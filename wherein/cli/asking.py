"""`wherein ask`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wherein.cli.command import Call, command
from wherein.cli.output import print_line
from wherein.cli.plain import visible
from wherein.cli.question import QueryFlags, asked
from wherein.cli.run import recorded
from wherein.cli.waiting import waiting

if TYPE_CHECKING:
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.ask import AskOptions

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUESTION", help="Without one, a conversation; - reads stdin as one."),
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
    no_condense: Annotated[
        bool, typer.Option("--no-condense", help="In a conversation, ask each question as it is typed.")
    ] = False
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
    """Answer a question from the files, citations checked.

    Without a question, on a terminal: a conversation. A follow-up is made to stand by itself by one more request.
    """
    options = own.options(flags)
    if not (words or call.as_json) and sys.stdin is not None and sys.stdin.isatty():
        return _converse(call, options, own)
    return _ask(call, asked(words or ["-"], "question"), options, own).code


def _converse(call: Call, options: AskOptions, own: AskFlags) -> int:
    from wherein.cli.conversation import Conversation
    from wherein.pipelines import synthesis

    synthesis.model(call.workspace, options.model)
    call.note("Ask, then follow up; :help tells more, :quit ends.")
    answering = lambda question, chosen: _ask(call, question, chosen, own)  # noqa: E731
    return Conversation(call, options, answering, condenses=not own.no_condense).run()


def _ask(call: Call, question: str, options: AskOptions, own: AskFlags) -> Answer:
    from wherein.pipelines.ask import ask as run

    written: list[str] = []
    streams = not (call.as_json or own.no_stream or own.dry_run) and sys.stdout.isatty()

    def show(token: str) -> None:
        come()
        written.append(token)
        sys.stdout.write(visible(token))
        sys.stdout.flush()

    on_token = show if streams else None
    with waiting(call, **_told(call, options)) as come:
        answer = recorded("ask", call, lambda: run(call.workspace, question, options, on_token), question)
    if call.as_json:
        call.document(answer.to_json())
    elif own.dry_run:
        _show_prompt(answer)
    else:
        from wherein.cli.answer import show_answer

        show_answer(call, answer, streamed="".join(written), verbose=own.verbose)
    return answer


def _told(call: Call, options: AskOptions) -> dict[str, str]:
    """What the stages that a person may wait for are called."""
    section = call.workspace.settings.synthesis
    limit = f"at most {section.first_token_seconds:g} s, synthesis.first_token_seconds"
    return {"rerank": "reranking", "synthesise": f"waiting for {options.model or section.model} ({limit})"}


def _show_prompt(answer: Answer) -> None:
    if not answer.messages:
        print_line(answer.answer)
    for message in answer.messages:
        print_line(f"--- {message['role']}\n{message['content']}")
