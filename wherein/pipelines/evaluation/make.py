"""Make golden questions from the files that are indexed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from store.errors import PARTIAL, WhereinError, usage
from tasks.evaluation.golden import Question
from tasks.evaluation.making import kinds as rules
from wherein.pipelines.completion import model_for
from wherein.pipelines.evaluation import corpus as texts
from wherein.pipelines.evaluation import written_questions
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

LLM = "llm"
_LLM_SHARE = 0.25
_FEW_REASONS = 3


@dataclass(frozen=True)
class MakeOptions:
    """No kinds: all that rules make, and with `llm` a quarter by a language model (`model`, else the settings')."""

    kinds: tuple[str, ...] = ()
    count: int = 100
    seed: int = 0
    collections: tuple[str, ...] = ()
    llm: bool = False
    model: str | None = None


@dataclass(frozen=True)
class Made:
    """Questions in the order of their kinds; `partial` if the language model gave up."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    partial: bool = False

    @property
    def code(self) -> int:
        return PARTIAL if self.partial else 0

    @property
    def kinds(self) -> dict[str, int]:
        return dict(Counter(question.kind for question in self.questions))

    def to_json(self) -> dict[str, Any]:
        from store.records import to_json

        return {"questions": to_json(self.questions), "kinds": self.kinds, "notes": list(self.notes)}


def make(workspace: Workspace, options: MakeOptions, advance: rules.Advance = lambda *_: None) -> Made:
    """The same options over the same files make the same questions, a language model's aside.

    Raises WhereinError: exit 1 without an index, or if no question could be made; exit 2 for what cannot be asked.
    """
    by_rule = _by_rule(options)
    asked = model_for(workspace, "--llm", options.model) if options.llm else None
    found = texts.corpus(workspace, options.collections, options.seed)
    model_count = _model_count(options)
    made = rules.make(found, by_rule, options.count - model_count, advance) if by_rule else []
    notes = rules.remarks(found, by_rule, made, options.count - model_count) if by_rule else []
    written = written_questions.Written()
    if asked is not None:
        written = written_questions.write(workspace, asked, found, made, model_count, advance)
    return _checked(Made((*made, *written.questions), (*notes, *written.notes), written.failed), asked)


def _by_rule(options: MakeOptions) -> Sequence[str]:
    """The kinds that rules make; raises for those that are not known."""
    if LLM in options.kinds and not options.llm:
        raise usage("Questions of the kind 'llm' are written by a language model: add --llm to ask it.", kind="golden")
    given = [kind for kind in options.kinds if kind != LLM]
    return [] if options.kinds and not given else rules.checked(given)


def _model_count(options: MakeOptions) -> int:
    """How many questions the language model writes."""
    if not options.llm:
        return 0
    return options.count if set(options.kinds) == {LLM} else math.ceil(_LLM_SHARE * options.count)


def _checked(made: Made, asked: Model | None) -> Made:
    if not made.questions:
        reasons = "; ".join(made.notes)
        if asked is not None:
            raise WhereinError(f"{asked.name} wrote no question that can be used ({reasons}).", kind="golden")
        reasons = reasons if len(made.notes) <= _FEW_REASONS else "no kind finds what it asks about"
        raise WhereinError(
            f"No question could be made from the files that are indexed: they may be too few or too short ({reasons}).",
            kind="golden",
        )
    return made
