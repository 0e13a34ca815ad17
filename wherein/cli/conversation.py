"""Questions as they are typed, one after the other, each free to lean on those before it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from store.errors import WhereinError
from wherein.cli.command import Call
from wherein.cli.ending import INTERRUPTED, Terminated
from wherein.cli.listening import listening
from wherein.cli.output import print_aside, print_line
from wherein.cli.plain import one_line

if TYPE_CHECKING:
    from wherein.pipelines.answer import Answer
    from wherein.pipelines.ask import AskOptions
    from wherein.pipelines.follow_up import Turn

PROMPT = "? "
REMEMBERED = 200
HELP = """:sources      the passages of the last answer
:why PATH     which step lost a file, for the last question
:model [NAME] which model answers, from now on NAME
:help         this
:quit         end, as Ctrl-D does; Ctrl-C ends an answer"""
Answering = Callable[[str, "AskOptions"], "Answer"]


@dataclass
class Conversation:
    """`answering` asks and shows; `code` is the exit code of the last answer."""

    call: Call
    options: AskOptions
    answering: Answering
    condenses: bool = True
    turns: list[Turn] = field(default_factory=list)
    last: Answer | None = None
    code: int = 0
    _told: bool = False

    def run(self) -> int:
        """Until the end of what is typed, or :quit."""
        for line in typed(self.call, self.options.log):
            if line.split()[0] in (":quit", ":q"):
                break
            try:
                self._command(line) if line.startswith(":") else self._ask(line)
            except Terminated:
                raise
            except KeyboardInterrupt:
                self.code = INTERRUPTED
                print_aside("\nThe answer was ended; the conversation goes on (:quit ends it).")
            except WhereinError as error:
                self.code = self.code if line.startswith(":") else error.code
                print_aside(error.message)
        return self.code

    def _ask(self, line: str) -> None:
        from wherein.pipelines.follow_up import Turn

        question = self._condensed(line)
        options = self.options if question == line else replace(self.options, typed=line)
        self.last = self.answering(question, options)
        self.code = self.last.code
        self.turns.append(Turn(self.last.question, self.last.answer, self._window(self.last)))

    def _window(self, answer: Answer) -> int:
        """The tokens that an answer's request asked for; none was made of a model where nothing was found."""
        from tasks.tokens import fit_window

        most = self.options.max_tokens or self.call.workspace.settings.synthesis.max_tokens
        return fit_window(answer.prompt["tokens"] + most, answer.context["window"])

    def _condensed(self, line: str) -> str:
        """What is searched for, shown wherever a model was asked for it."""
        from wherein.pipelines import synthesis
        from wherein.pipelines.follow_up import condense

        if not (self.turns and self.condenses) or self.options.dry_run:
            return line
        model = synthesis.model(self.call.workspace, self.options.model)
        if model.server is None:
            self._tell_once(f"{model.name} writes no questions: each stands by itself")
            return line
        found = condense(self.call.workspace, model, self.turns, line)
        if found.failure is not None:
            print_aside(f"The question is asked as typed, for it could not be condensed. {found.failure}")
        else:
            print_aside(f"Asked as (one more request to {model.name}; --no-condense): {found.question}")
        return found.question

    def _tell_once(self, text: str) -> None:
        if not self._told:
            self.call.notes(text)
        self._told = True

    def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        commands = {":sources": self._sources, ":why": self._why, ":model": self._model, ":help": self._help}
        if name not in commands:
            print_aside(f"There is no command {name}: :help lists them.")
            return
        commands[name](rest.strip())

    def _help(self, _rest: str) -> None:
        print_line(HELP)

    def _sources(self, _rest: str) -> None:
        from wherein.cli.passages import Marks, console, show_hit

        hits = (self.last.evidence or self.last.nearest) if self.last is not None else ()
        if self.last is None or not hits:
            print_aside("There are no passages yet: ask something first.")
            return
        screen, marks = console(), Marks(self.last.question)
        for hit in hits:
            show_hit(screen, hit, marks)
            print_line()

    def _why(self, path: str) -> None:
        from wherein.cli.searching import explain

        if self.last is None or not path:
            print_aside("Ask something first, then :why PATH, as `wherein files` lists it.")
            return
        explain(self.call, self.last.question, self.options.query, path)

    def _model(self, name: str) -> None:
        from wherein.pipelines import synthesis

        chosen = synthesis.model(self.call.workspace, name or self.options.model)
        if name:
            self.options = replace(self.options, model=name)
        print_line(one_line(f"{chosen.name} answers."))


def typed(call: Call, keeps: bool) -> Iterator[str]:
    """Lines with something on them, until the end of input; `keeps`: earlier questions can be called back."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    _editing(call, keeps)
    while True:
        try:
            with listening():
                line = _line().strip()
        except EOFError:
            sys.stdout.write("\n")
            return
        except Terminated:
            raise
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            continue
        if line:
            yield line


def _line() -> str:
    """The prompt is no result: where those go to a file, it does not."""
    if sys.stdout.isatty():
        return input(PROMPT)
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return input()


def _editing(call: Call, keeps: bool) -> None:
    """Line editing where the system has it; the questions to go back to are those of the answer log."""
    try:
        import readline
    except ImportError:
        return
    readline.clear_history()
    if not (keeps and call.workspace.settings.answers.log):
        return
    from store.log import AnswerLog

    try:
        kept = AnswerLog(call.workspace.log).recent(REMEMBERED)
    except WhereinError as error:
        call.notes(f"earlier questions cannot be called back: {error.message}")
        return
    for entry in reversed(kept):
        readline.add_history(one_line(str(entry.answer.get("typed") or entry.question)))
