"""Have a language model write questions, and keep those whose quotation stands in the passage it was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from tasks.evaluation.golden import Question
from tasks.evaluation.making.corpus import Corpus
from tasks.evaluation.making.kinds import Advance
from tasks.evaluation.making.written import KIND, Shown, Unusable, parse, passages
from tasks.fence import fence_code
from tasks.folding import squeeze
from tasks.prompt import neutral
from tasks.providers.base import GenerationFailed
from wherein.pipelines.completion import complete
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

TEMPLATE = "golden"
_TRIES = 2
"""Passages shown for each question wanted, at most."""
_MAX_TOKENS = 240
_GIVE_UP = 8
"""Replies without one question in them, after which a model is asked no more."""


@dataclass(frozen=True)
class Written:
    """`failed` if the model could not be asked to the end."""

    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


def write(
    workspace: Workspace,
    asked: Model,
    corpus: Corpus,
    made: Sequence[Question],
    count: int,
    advance: Advance = lambda *_: None,
) -> Written:
    """Up to `count` questions, from other files than those of `made` where there are such.

    A model that fails ends it, with a note; raises GenerationFailed if nothing at all was made.
    """
    used = frozenset((entry.collection or "", entry.path) for question in made for entry in question.relevant)
    told = _Told(corpus, asked.name, {squeeze(question.question) for question in made})
    failure: GenerationFailed | None = None
    for shown in islice(passages(corpus, used), _TRIES * count):
        if len(told.questions) == count or told.hopeless:
            break
        advance(KIND, len(told.questions), count)
        try:
            told.take(shown, _reply(workspace, asked, shown))
        except GenerationFailed as error:
            failure = error
            break
    if failure is not None and not (told.questions or made):
        raise failure
    return Written(tuple(told.questions), tuple(_notes(told, count, failure)), failure is not None)


@dataclass
class _Told:
    """What a model has written so far; `asked` are the questions that are there, folded."""

    corpus: Corpus
    model: str
    asked: set[str]
    questions: list[Question] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def hopeless(self) -> bool:
        return not self.questions and self.refused.total() >= _GIVE_UP

    def take(self, shown: Shown, reply: str) -> None:
        id_ = f"w{self.corpus.seed}-{len(self.questions) + 1:03}"
        try:
            question = parse(self.corpus, shown, reply, id_, self.model)
            if squeeze(question.question) in self.asked:
                raise Unusable("it asks what another asks")
        except Unusable as reason:
            self.refused[str(reason)] += 1
        else:
            self.asked.add(squeeze(question.question))
            self.questions.append(question)


def _reply(workspace: Workspace, asked: Model, shown: Shown) -> str:
    code, seed = fence_code([shown.text]), workspace.settings.synthesis.seed
    passage = f"--- {code} begin\n{neutral(shown.text)}\n--- {code} end"
    return complete(workspace, asked, TEMPLATE, {"passage": passage, "fence": code}, _MAX_TOKENS, seed).text


def _notes(told: _Told, count: int, failure: GenerationFailed | None) -> list[str]:
    missing = count - len(told.questions)
    notes = [
        f"{f'{number} replies' if number > 1 else '1 reply'} of {told.model} {'were' if number > 1 else 'was'}"
        f" not used: {reason}"
        for reason, number in sorted(told.refused.items())
    ]
    if failure is not None:
        return [*notes, f"{failure.message.rstrip('.')}: {missing} questions were not written"]
    if told.hopeless:
        return [*notes, f"{told.model} was asked no more: it seems too small a model to write questions"]
    return notes + ([f"{told.model} wrote {missing} questions too few"] if missing else [])
