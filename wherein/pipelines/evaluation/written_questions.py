"""Have a language model write questions, and keep those whose quotation stands in the passage it was shown."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from prompts.template import Template, load
from store.errors import usage
from tasks.evaluation.golden import Question
from tasks.evaluation.making.corpus import Corpus
from tasks.evaluation.making.written import Shown, Unusable, parse, passages
from tasks.prompt import Prompt, neutral
from tasks.providers.base import GenerationFailed
from tasks.tokens import at_least, count_messages
from wherein.pipelines import synthesis
from wherein.pipelines.synthesis import Choice, Model
from wherein.workspace import Workspace

TEMPLATE = "golden"
_TRIES = 2
"""Passages shown for each question wanted, at most."""
_MAX_TOKENS = 300
_FENCE_DIGITS = 8


@dataclass(frozen=True)
class Writer:
    """A model with the template and the choice that each of its requests is made with."""

    model: Model
    template: Template
    choice: Choice


@dataclass(frozen=True)
class Written:
    """`failed` if the model could not be asked to the end."""

    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


def writer(workspace: Workspace, name: str | None) -> Writer:
    """The model of a name, or the one that answers; raises WhereinError (exit 2) where it cannot write."""
    model = synthesis.model(workspace, name)
    if model.server is None:
        raise usage(
            f"Model {model.name!r} writes nothing of its own: name a language model with --model, or set"
            " synthesis.model.",
            kind="model",
        )
    choice = synthesis.choice(workspace, None, None, _MAX_TOKENS, TEMPLATE)
    return Writer(model, load(TEMPLATE, synthesis.template_folder(workspace)), choice)


def write(workspace: Workspace, asked: Writer, corpus: Corpus, made: Sequence[Question], count: int) -> Written:
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
            reply = synthesis.generate(workspace, asked.model, _prompt(asked, shown), asked.choice).text
            found.append(parse(corpus, shown, reply, f"w{corpus.seed}-{len(found) + 1:03}", asked.model.name))
        except Unusable as reason:
            refused[str(reason)] += 1
        except GenerationFailed as error:
            failure = error
            break
    if failure is not None and not (found or made):
        raise failure
    return Written(tuple(found), tuple(_notes(asked, count - len(found), refused, failure)), failure is not None)


def _prompt(asked: Writer, shown: Shown) -> Prompt:
    code = hashlib.sha256(shown.text.encode("utf-8", "surrogatepass")).hexdigest()[:_FENCE_DIGITS]
    passage = f"--- {code} begin\n{neutral(shown.text)}\n--- {code} end"
    system, user = asked.template.render({"passage": passage, "fence": code})
    messages = ({"role": "system", "content": system}, {"role": "user", "content": user})
    least = sum(at_least(message["content"]) for message in messages)
    return Prompt(messages, "", (), count_messages(messages), least, asked.template.name, asked.template.sha256)


def _notes(asked: Writer, missing: int, refused: Counter[str], failure: GenerationFailed | None) -> list[str]:
    notes = [
        f"{count} replies of {asked.model.name} were not used: {reason}" for reason, count in sorted(refused.items())
    ]
    if failure is not None:
        return [*notes, f"{failure.message.rstrip('.')}: {missing} questions were not written"]
    return notes + ([f"{asked.model.name} wrote {missing} questions too few"] if missing else [])
