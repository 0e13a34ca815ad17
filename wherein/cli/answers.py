"""`wherein answers`: the answers that were given here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from store.errors import NOT_FOUND, WhereinError
from wherein.cli.command import Call, command, group
from wherein.cli.output import print_line
from wherein.cli.plain import one_line
from wherein.cli.times import counted

if TYPE_CHECKING:
    from store.log import AnswerLog, LoggedAnswer
    from wherein.pipelines.replay import Replay


def _log(call: Call) -> AnswerLog:
    from store.log import AnswerLog

    return AnswerLog(call.workspace.log)


@group("answers", "Answers and generations")
def answers(
    call: Call,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many, newest first.")] = 20,
) -> int:
    """List the answers that were kept, newest first."""
    from store.records import to_json

    found = _log(call).recent(limit)
    if call.as_json:
        return call.document(to_json(found))
    for entry in found:
        refused = "  (refused)" if entry.answer.get("refused") else ""
        print_line(one_line(f"{entry.id}  {entry.asked_at[:16].replace('T', ' ')}  {entry.question}{refused}"))
    if not found:
        call.note("No answers are kept here.")
    return 0


@command("show", group=answers)
def show(call: Call, id_: Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.")]) -> int:
    """Show one answer with its citations, as it was given."""
    from store.records import to_json

    entry = _log(call).get(id_)
    if entry is None:
        raise WhereinError(f"No answer {id_} is kept: `wherein answers` lists them.", kind="answer", code=NOT_FOUND)
    if call.as_json:
        return call.document(to_json(entry))
    _show(entry)
    return 0


def _show(entry: LoggedAnswer) -> None:
    from tasks.cite import CheckedCitation
    from wherein.cli.answer import citation_line

    given = entry.answer
    print_line(one_line(f"{entry.question}  ({entry.asked_at[:16].replace('T', ' ')}, {given.get('model')})"))
    print_line()
    print_line(str(given.get("answer") or given.get("failure") or ""))
    citations = given.get("citations") or []
    if citations:
        print_line()
    for citation in citations:
        print_line(one_line(citation_line(CheckedCitation(**citation))))


@command("replay", group=answers)
def replay(
    call: Call,
    id_: Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.")],
    again: Annotated[bool, typer.Option("--ask", help="Ask the same model again, too.")] = False,
) -> int:
    """Search again as for this answer, and tell what changed in its evidence."""
    from wherein.pipelines.replay import replay as run

    done = run(call.workspace, id_, again=again)
    if call.as_json:
        return call.document(done.to_json(), done.code)
    _show_replay(done)
    call.notes(*done.notes)
    return done.code


def _show_replay(done: Replay) -> None:
    print_line(one_line(done.question))
    for name in sorted({*done.generations_then, *done.generations_now}):
        then, now = done.generations_then.get(name, "none"), done.generations_now.get(name, "none")
        print_line(one_line(f"{name}: generation {then} then, {now} now"))
    print_line(f"{counted(done.unchanged, 'passage')} at the same place")
    lines = [f"gone   {p['path']}:{p['line_start']}" for p in done.gone]
    lines += [f"new    {p['path']}:{p['line_start']}" for p in done.new]
    lines += [f"moved  {p.path}:{p.line_start}  from place {p.then} to {p.now}" for p in done.moved]
    for line in lines:
        print_line(one_line(line))
    if done.answer is not None:
        print_line(f"\nThen:\n{done.answer_then}\n\nNow:\n{done.answer.answer or done.answer.failure or ''}")


@command("purge", group=answers)
def purge(
    call: Call,
    older_than: Annotated[
        float | None, typer.Option("--older-than", metavar="DAYS", min=0, help="Only those; all by default.")
    ] = None,
) -> int:
    """Remove answers; nothing of their text stays on disk."""
    removed = _log(call).purge(older_than)
    if call.as_json:
        return call.document({"removed": removed})
    print_line(f"Removed {counted(removed, 'answer')}.")
    return 0
