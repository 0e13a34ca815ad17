"""Keep answers in the log of this workspace."""

from __future__ import annotations

from dataclasses import replace

from store.errors import WhereinError
from store.log import AnswerLog
from wherein.pipelines.answer import Answer
from wherein.workspace import Workspace


def keep(workspace: Workspace, answer: Answer) -> Answer:
    """The answer with its id in the log; what is older than `answers.keep_days` goes.

    A log that cannot be written loses no answer: it is a note.
    """
    log = AnswerLog(workspace.log)
    days = workspace.settings.answers.keep_days
    try:
        if log.holds_older_than(days):
            log.purge(older_than_days=days)
        kept = replace(answer, id=log.add(answer.question, answer.to_json()))
        first = log.say_once("answers are kept")
    except WhereinError as error:
        return replace(answer, notes=(*answer.notes, f"the answer was not kept: {error.message}"))
    if not first:
        return kept
    said = (
        f"answers are kept on this machine for {days} days (`wherein answers`, --no-log, [answers] log = false);"
        " this is said once"
    )
    return replace(kept, notes=(*kept.notes, said))
