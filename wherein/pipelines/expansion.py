"""Other wordings of a query, by the configured language model: paraphrases, and a passage that might answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.providers.base import GenerationFailed
from tasks.repetition import repeats
from tasks.stage import stage
from wherein.pipelines import synthesis
from wherein.pipelines.completion import complete, model_for
from wherein.pipelines.options import QueryOptions, Wording
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

PARAPHRASES = 3
_TOKENS = 160
_LEAD = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Expansion:
    """The wordings, what to say of them, and whether the model failed to give any."""

    wordings: tuple[Wording, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


def check(workspace: Workspace, options: QueryOptions) -> Model | None:
    """The model that is to be asked, if any; raises WhereinError (exit 2) if there is none that can be."""
    if not (options.expand or options.hyde):
        return None
    return model_for(workspace, "--expand" if options.expand else "--hyde")


@stage("expand", items=lambda expansion: len(expansion.wordings))
def expand(workspace: Workspace, asked: Model, query: str, options: QueryOptions) -> Expansion:
    """Ask once for each kind that is wanted; a model that fails leaves the query as it is."""
    wordings: list[Wording] = []
    notes: list[str] = []
    failed = False
    for wanted, ask in ((options.expand, _paraphrases), (options.hyde, _passage)):
        try:
            wordings += ask(workspace, asked, query) if wanted else []
        except GenerationFailed as failure:
            failed = True
            notes.append(f"the query was not expanded: {failure.message}")
    told = [f"searched also by: {wording.text}" for wording in wordings]
    return Expansion(tuple(wordings), (*told, *notes), failed)


def _paraphrases(workspace: Workspace, asked: Model, query: str) -> list[Wording]:
    values = {"question": query, "count": str(PARAPHRASES)}
    window = synthesis.usual_window(workspace, asked.window)
    answer = complete(workspace, asked, "expand", values, _TOKENS, workspace.settings.synthesis.seed, window)
    lines = [" ".join(_LEAD.sub("", line).split())[:_LONGEST] for line in answer.text.splitlines()]
    usable = (line for line in lines if line and line.casefold() != query.casefold() and not repeats(line))
    found = dict.fromkeys(usable)
    return [Wording(line) for line in list(found)[:PARAPHRASES]]


def _passage(workspace: Workspace, asked: Model, query: str) -> list[Wording]:
    window = synthesis.usual_window(workspace, asked.window)
    seed = workspace.settings.synthesis.seed
    answer = complete(workspace, asked, "hyde", {"question": query}, _TOKENS, seed, window)
    text = " ".join(answer.text.split())[:_LONGEST]
    return [Wording(text, passage=True)] if text and not repeats(text) else []
