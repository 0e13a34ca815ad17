"""A kept answer looked at again: what a refresh changed in its evidence, and what a model says now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from store.errors import NOT_FOUND, WhereinError
from store.log import AnswerLog, LoggedAnswer
from store.records import to_json
from wherein.pipelines import query
from wherein.pipelines.answer import Answer
from wherein.pipelines.ask import AskOptions, ask
from wherein.pipelines.in_force import put_back
from wherein.pipelines.options import QueryOptions, Wording
from wherein.workspace import Workspace

Passage = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Moved:
    """A passage that is still found, at another rank (from 1)."""

    collection: str
    path: str
    line_start: int
    then: int
    now: int


@dataclass(frozen=True, slots=True)
class Replay:
    """`gone` and `new` are passages as a search gives them; `answer` is None unless it was asked again."""

    id: str
    question: str
    generations_then: dict[str, int]
    generations_now: dict[str, int]
    gone: tuple[Passage, ...]
    new: tuple[Passage, ...]
    moved: tuple[Moved, ...]
    unchanged: int
    answer_then: str
    answer: Answer | None
    notes: tuple[str, ...]

    @property
    def code(self) -> int:
        return 0 if self.answer is None else self.answer.code

    def to_json(self) -> dict[str, Any]:
        return {**to_json(self), "answer": None if self.answer is None else self.answer.to_json()}


def replay(workspace: Workspace, number: str, *, again: bool = False) -> Replay:
    """Search again as the answer was searched for; `again`: ask its model too. Nothing is kept.

    Raises WhereinError: exit 4 for an answer that is not kept.
    """
    entry = AnswerLog(workspace.log).get(number)
    if entry is None:
        raise WhereinError(f"No answer {number} is kept: `wherein answers` lists them.", kind="answer", code=NOT_FOUND)
    flags = entry.answer.get("flags") or {}
    workspace, differing = put_back(workspace, flags.get("settings"))
    options = _options(entry.answer)
    answer = ask(workspace, entry.question, options) if again else None
    then: list[Passage] = list(entry.answer.get("evidence") or ())
    if answer is not None:
        found, generations, notes = answer.evidence, answer.generations, answer.notes
    else:
        evidence = query.search(workspace, entry.question, options.query)
        found = evidence.hits or (evidence.nearest if options.anyway else ())
        generations, notes = evidence.generations, evidence.notes
        if (entry.answer.get("context") or {}).get("dropped"):
            found = found[: len(then)]
    if answer is not None and answer.prompt["sha256"] != (entry.answer.get("prompt") or {}).get("sha256"):
        differing.append(f"the prompt template {answer.prompt['name']!r} is not the one of then")
    if not flags:
        differing.append("the flags of this answer were not kept: searched without any")
    return _compared(entry, then, to_json(found), generations, answer, (*notes, *differing))


def _options(given: dict[str, Any]) -> AskOptions:
    flags = given.get("flags") or {}
    return AskOptions(
        query=_query(flags.get("query") or {}),
        model=given.get("model"),
        temperature=given.get("temperature"),
        seed=given.get("seed"),
        max_tokens=flags.get("max_tokens"),
        prompt=(given.get("prompt") or {}).get("name"),
        anyway=bool(flags.get("anyway")),
        log=False,
    )


def _query(kept: dict[str, Any]) -> QueryOptions:
    """As it was searched; what a model wrote to search by is searched by again, and no model asked for more."""
    known = {field.name for field in fields(QueryOptions)}
    chosen: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in kept.items() if name in known}
    wordings = tuple(Wording(str(each["text"]), bool(each["passage"])) for each in kept.get("wordings") or ())
    options = QueryOptions(**{**chosen, "wordings": wordings})
    return replace(options, expand=False, hyde=False) if wordings else options


def _compared(
    entry: LoggedAnswer,
    then: Sequence[Passage],
    now: Sequence[Passage],
    generations: dict[str, int],
    answer: Answer | None,
    notes: tuple[str, ...],
) -> Replay:
    before = {_key(passage): rank for rank, passage in reversed(list(enumerate(then, 1)))}
    after = {_key(passage): rank for rank, passage in reversed(list(enumerate(now, 1)))}
    stayed = [(p, before[_key(p)], rank) for rank, p in enumerate(now, 1) if _key(p) in before]
    moved = [Moved(p["collection"], p["path"], p["line_start"], old, new) for p, old, new in stayed if old != new]
    return Replay(
        id=entry.id,
        question=entry.question,
        generations_then=dict(entry.answer.get("generations") or {}),
        generations_now=generations,
        gone=tuple(passage for passage in then if _key(passage) not in after),
        new=tuple(passage for passage in now if _key(passage) not in before),
        moved=tuple(moved),
        unchanged=len(stayed) - len(moved),
        answer_then=str(entry.answer.get("answer") or entry.answer.get("failure") or ""),
        answer=answer,
        notes=notes,
    )


def _key(passage: Passage) -> tuple[str, str, str]:
    """A passage is its words in its file; where in the file they stand may change."""
    return passage["collection"], passage["path"], passage["text"]
