"""A golden question: what is asked, and which files or passages answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.folding import squeeze


@dataclass(frozen=True, slots=True)
class Relevant:
    """A file, or with `quote` the passage of it that holds these words; `score` above 0 is a grade of relevance.

    `collection` is None until the path has been found in one.
    """

    path: str
    quote: str | None = None
    collection: str | None = None
    score: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """`relevant` is empty where `answerable` is False; `kind` and `made_by` say how it came about."""

    id: str
    question: str
    relevant: tuple[Relevant, ...] = ()
    answerable: bool = True
    answer: str | None = None
    kind: str = ""
    made_by: str = ""


def repeated(questions: Sequence[Question]) -> list[str]:
    """A warning where some ask what others ask, case and white space aside: each counts as evidence of its own."""
    extra = len(questions) - len({squeeze(question.question) for question in questions})
    told = f"{extra} questions ask" if extra > 1 else "1 question asks"
    return [f"{told} the same as another: differences look surer than they are"] if extra else []
