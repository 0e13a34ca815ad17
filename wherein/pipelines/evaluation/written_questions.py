"""Have a language model write questions, and keep those whose quotation stands in the passage it was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from tasks.evaluation.golden import Question
from tasks.evaluation.making.corpus import Corpus
from tasks.evaluation.making.written import Shown, Unusable, parse, passages
from tasks.fence import fence_code
from tasks.prompt import neutral
from tasks.providers.base import GenerationFailed
from wherein.pipelines.completion import complete
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

TEMPLATE = "golden"
_TRIES = 2
"""Passages shown for each question wanted, at most."""
_MAX_TOKENS = 300


@dataclass(frozen=True)
class Written:
    """`failed` if the model could not be asked to the end."""

    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


def write(workspace: Workspace, asked: Model, corpus: Corpus, made: Sequence[Question], count: int) -> Written:
    """Up to `count` questions, from other files than those of `made` where there are such.

    A model that fails ends it, with a note; raises GenerationFailed if nothing at all was made.
    """
    used = frozenset((entry.collection or "", entry.path) for question in made for entry in question.relevant)
    found: list[Question] = []
    refused: Counter[str] = Counter()
    failure: GenerationFailed | None = None
    for shown in islice(passages(corpus, used), _TRIES * count):
        if len(found) == count:
            break
        try:
            reply = _reply(workspace, asked, shown)
            found.append(parse(corpus, shown, reply, f"w{corpus.seed}-{len(found) + 1:03}", asked.name))
        except Unusable as reason:
            refused[str(reason)] += 1
        except GenerationFailed as error:
            failure = error
            break
    if failure is not None and not (found or made):
        raise failure
    return Written(tuple(found), tuple(_notes(asked, count - len(found), refused, failure)), failure is not None)


def _reply(workspace: Workspace, asked: Model, shown: Shown) -> str:
    code, seed = fence_code([shown.text]), workspace.settings.synthesis.seed
    passage = f"--- {code} begin\n{neutral(shown.text)}\n--- {code} end"
    return complete(workspace, asked, TEMPLATE, {"passage": passage, "fence": code}, _MAX_TOKENS, seed).text


def _notes(asked: Model, missing: int, refused: Counter[str], failure: GenerationFailed | None) -> list[str]:
    notes = [f"{count} replies of {asked.name} were not used: {reason}" for reason, count in sorted(refused.items())]
    if failure is not None:
        return [*notes, f"{failure.message.rstrip('.')}: {missing} questions were not written"]
    return notes + ([f"{asked.name} wrote {missing} questions too few"] if missing else [])
