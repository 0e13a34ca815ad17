"""A question that leans on what was said before, made one that stands by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.providers.base import GenerationFailed
from tasks.repetition import repeats
from tasks.stage import stage
from wherein.pipelines.completion import complete
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

TURNS = 3
_TOKENS = 120
_LONGEST_ANSWER = 600  # characters of each earlier answer that are sent
_LONGEST = 500  # characters of a question


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was searched for, its answer, and the window (tokens) that was asked for."""

    question: str
    answer: str
    window: int = 0


@dataclass(frozen=True, slots=True)
class Condensed:
    """The question to search for; `failure` says why it is still the one that was typed."""

    question: str
    failure: str | None = None


@stage("condense")
def condense(workspace: Workspace, asked: Model, turns: Sequence[Turn], question: str) -> Condensed:
    """One request to the model; where it fails or writes nothing, the question stays as it is."""
    window = turns[-1].window if turns else 0
    values = {"history": _told(turns[-TURNS:]), "question": question}
    try:
        generation = complete(workspace, asked, "condense", values, _TOKENS, workspace.settings.synthesis.seed, window)
    except GenerationFailed as failure:
        return Condensed(question, failure.message)
    written = _first_line(generation.text)
    return Condensed(written) if written else Condensed(question, f"The model {asked.name!r} wrote no question.")


def _told(turns: Sequence[Turn]) -> str:
    return "\n".join(f"Question: {turn.question}\nAnswer: {_short(turn.answer)}" for turn in turns)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST_ANSWER else f"{plain[:_LONGEST_ANSWER]}…"


def _first_line(text: str) -> str:
    """The first line with something on it; quotation marks around all of it are no part of the question.

    Nothing where that line only announces something, says the same three words three times or is too long for a
    question, which small models do.
    """
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if line.endswith((":", "：")):
        return ""
    whole = len(line) > 1 and line[0] == line[-1] == '"' and '"' not in line[1:-1]
    question = line[1:-1].strip() if whole else line
    return "" if len(question) > _LONGEST or repeats(question) else question
