"""Read and write golden questions: a JSONL file, or a folder with queries and judgements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from store import disk
from store.errors import usage
from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_lines import lines, rows, wrong

QUERIES = ("queries.jsonl", "queries.jsonl.gz")
QRELS = ("qrels.tsv", "qrels.tsv.gz")
UNANSWERABLE = "unanswerable"
"""The kind that says of a query without a judgement that nothing answers it."""
LONGEST_QUESTION = 50_000
"""Characters, as a search takes them."""
HIGHEST_SCORE = 1_000_000
_SHOWN = 60


def read(path: Path) -> list[Question]:
    """The questions in their order, at least one.

    A folder holds queries.jsonl {"_id", "text", "metadata"?} and qrels.tsv with a header (query, document, score),
    either with `.gz`. Its queries without a document judged above 0 are left out (they belong to another split),
    unless their metadata has the kind "unanswerable". Raises WhereinError (exit 2) naming the line.
    """
    found = _from_folder(path) if path.is_dir() else list(_from_file(path))
    if not found:
        raise usage(f"{path} holds no question: `wherein golden make` makes some.", kind="golden")
    return found


def write(path: Path, questions: Iterable[Question]) -> None:
    """One JSON object a line; the file is there whole or not at all, and `read` gives the same questions again."""
    check_folder(path)
    disk.write_file(path, (line(question) for question in questions))


def check_folder(path: Path) -> None:
    """Raises WhereinError (exit 2) if the folder of a file to be written is not there."""
    if not path.parent.is_dir():
        raise usage(f"There is no folder {path.parent} to write {path.name} to: create it.", kind="golden")


def line(question: Question) -> bytes:
    """A question as a line of a file, UTF-8."""
    row = {
        "id": question.id,
        "question": question.question,
        "relevant": [_written(relevant) for relevant in question.relevant],
        "answerable": question.answerable,
        "answer": question.answer,
        "kind": question.kind,
        "made_by": question.made_by,
    }
    # What is no character (half of a pair) gets the escape that JSON has for it.
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _written(relevant: Relevant) -> str | dict[str, Any]:
    row: dict[str, Any] = {"path": relevant.path}
    if relevant.quote is not None:
        row["quote"] = relevant.quote
    if relevant.collection is not None:
        row["collection"] = relevant.collection
    if relevant.score != 1:
        row["score"] = relevant.score
    return relevant.path if len(row) == 1 else row


def _from_file(path: Path) -> Iterator[Question]:
    seen: dict[str, int] = {}
    for number, row in rows(path):
        try:
            question = _question(row, number)
        except ValueError as error:
            raise wrong(path, number, str(error)) from error
        if question.id in seen:
            raise wrong(path, number, f"has the id {question.id!r}, as line {seen[question.id]} has: rename one")
        seen[question.id] = number
        yield question


def _question(row: dict[str, Any], number: int) -> Question:
    """Raises ValueError saying what is wrong, and what would be right."""
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("has no question: give it a text under `question`")
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"asks in {len(text):,} characters: give at most {LONGEST_QUESTION:,}")
    answerable = row.get("answerable", True)
    if not isinstance(answerable, bool):
        raise ValueError(f"has {_short(answerable)} under `answerable`: write true or false")
    relevant = tuple(_relevant(entry) for entry in _listed(row.get("relevant")))
    if answerable and not relevant:
        raise ValueError("names no relevant file: give one under `relevant`, or say `answerable`: false")
    if relevant and not answerable:
        raise ValueError("names a relevant file though nothing answers it: drop one of the two")
    answer = row.get("answer")
    return Question(
        _id(row, number), text, relevant, answerable, None if answer is None else str(answer),
        str(row.get("kind") or ""), str(row.get("made_by") or ""),
    )  # fmt: skip


def _id(row: dict[str, Any], number: int) -> str:
    given = row.get("id")
    if not isinstance(given, str | int | None):
        raise ValueError(f"has {_short(given)} under `id`: write a text, or leave it out")
    return f"line{number}" if given in (None, "") else str(given)


def _listed(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"has {_short(value)} under `relevant`: write a list of paths")
    return value


def _relevant(entry: Any) -> Relevant:
    row = {"path": entry} if isinstance(entry, str) else entry
    path = row.get("path") if isinstance(row, dict) else None
    if not isinstance(path, str) or not path.strip():
        raise ValueError(f'has {_short(entry)} under `relevant`: write "PATH", or {{"path": "PATH", "quote": "WORDS"}}')
    for name in ("quote", "collection"):
        if not isinstance(row.get(name), str | None) or row.get(name) == "":
            raise ValueError(f"has {row[name]!r} as the {name} of {path!r}: write a text, or leave it out")
    score = row.get("score", 1)
    if not isinstance(score, int) or isinstance(score, bool) or not 1 <= score <= HIGHEST_SCORE:
        raise ValueError(f"has {_short(score)} as the score of {path!r}: write a whole number, 1 to {HIGHEST_SCORE:,}")
    return Relevant(path, row.get("quote"), row.get("collection"), int(score))


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"


def _from_folder(folder: Path) -> list[Question]:
    judged = _judgements(_existing(folder, QRELS))
    queries = _existing(folder, QUERIES)
    found = [_query(queries, number, row, judged) for number, row in rows(queries)]
    return [question for question in found if question is not None]


def _existing(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise usage(f"{folder} holds no {names[0]}: name a folder with queries and judgements, or a file.", kind="golden")


def _judgements(path: Path) -> dict[str, list[Relevant]]:
    """Documents judged above 0 by query, the best first, then by id."""
    found: dict[str, dict[str, int]] = {}
    for number, text in lines(path):
        cells = text.split("\t")
        if number == 1 and cells[-1].strip().lower() == "score":
            continue
        try:
            query, document, score = cells
            found.setdefault(query, {})[document] = min(int(score), HIGHEST_SCORE)
        except ValueError as error:
            raise wrong(path, number, "is not QUERY, DOCUMENT and a whole SCORE with tabs between: mend it") from error
    return {query: _by_score(scores) for query, scores in found.items()}


def _by_score(scores: dict[str, int]) -> list[Relevant]:
    ordered = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    return [Relevant(document, score=score) for document, score in ordered if score > 0]


def _query(path: Path, number: int, row: dict[str, Any], judged: dict[str, list[Relevant]]) -> Question | None:
    id_, text = row.get("_id"), row.get("text")
    if not isinstance(id_, str) or not isinstance(text, str) or not text.strip():
        raise wrong(path, number, "needs a text under `_id` and under `text`: mend it")
    about = row.get("metadata") or {}
    if not isinstance(about, dict):
        raise wrong(path, number, "has no object under `metadata`: mend it, or leave it out")
    kind = str(about.get("kind") or "")
    relevant = tuple(judged.get(id_, ()))
    if not relevant and kind != UNANSWERABLE:
        return None
    return Question(id_, text, relevant, bool(relevant), _answer(about), kind, path.parent.name)


def _answer(about: dict[str, Any]) -> str | None:
    given = about.get("answer")
    several = about.get("answers")
    if given is None and isinstance(several, list) and several:
        given = several[0]
    return None if given is None else str(given)
