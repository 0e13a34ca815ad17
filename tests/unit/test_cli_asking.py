"""`wherein ask` and `wherein answers`: what is streamed, shown below, and kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.log import AnswerLog
from tasks.cite import CheckedCitation, Source
from tasks.providers.base import Seconds, Usage
from tests.unit.cli_workspace import Place, Terminal, place
from tests.unit.hits import hits
from wherein.pipelines.answer import Answer

__all__ = ["place"]
PASSAGES = tuple(hits("The code is 7.", "A heron stood."))
CITED = CheckedCitation(1, "notes", "p1.md", 1, 1, "The code is 7", True)
WRONG = CheckedCitation(2, "notes", "p2.md", 1, 3, "never said so", False, 1)


def answer(text: str = "It is 7 [1].", **more: Any) -> Answer:
    fields: dict[str, Any] = {
        "question": "code?", "answer": text, "refused": False, "refused_by": None, "confidence": "strong",
        "citations": (CITED,), "unknown_markers": (), "evidence": PASSAGES, "nearest": (), "model": "m",
        "temperature": 0.3, "seed": 0, "controlled": True, "prompt": {"name": "answer", "sha256": "0", "tokens": 9},
        "context": {"window": 9, "sent": 2, "dropped": 0}, "usage": Usage(5, 6), "seconds": Seconds(None, 0.1, 0.2),
        "generations": {"notes": 1}, "notes": (), "stages": (), "contributed": (Source("notes", "p1.md", (1,)),),
        "also_read": (Source("notes", "p2.md", (2,)),),
    }  # fmt: skip
    return Answer(**{**fields, **more})


def answering(monkeypatch: pytest.MonkeyPatch, given: Answer, *tokens: str) -> list[Any]:
    seen: list[Any] = []

    def ask(_workspace: object, question: str, options: object, on_token: Callable[[str], None] | None) -> Answer:
        seen.append((question, options, on_token))
        for token in tokens if on_token else ():
            on_token(token) if on_token else None
        return given

    monkeypatch.setattr("wherein.pipelines.ask.ask", ask)
    return seen


def on_terminal(place: Place, monkeypatch: pytest.MonkeyPatch, *arguments: str, typed: str = "") -> str:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    place.run(*arguments)
    monkeypatch.undo()
    return screen.getvalue()


def test_a_piped_answer_comes_whole_with_its_sources_below(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = answering(monkeypatch, answer(), "not shown")
    ended = place.run("ask", "code?")
    assert ended.out == (
        "It is 7 [1].\n\n[1] p1.md:1 “The code is 7” stands there word for word\n\n"
        "Files that contributed:\n  p1.md [1]\n\nAlso read:\n  p2.md [2]\n"
    )
    assert (ended.code, seen[0][2]) == (0, None)


def test_a_terminal_gets_the_answer_as_it_comes_and_only_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, answer(), "It is ", "7\x1b", "[2J [1].")
    shown = on_terminal(place, monkeypatch, "ask", "code?")
    assert shown.startswith("It is 7␛[2J [1].\n\n[1] p1.md:1")
    assert shown.count("It is") == 1
    assert "\x1b" not in shown


def test_a_terminal_can_be_told_not_to_stream(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for flag in ("--no-stream", "--json"):
        seen = answering(monkeypatch, answer(), "streamed")
        assert "streamed" not in on_terminal(place, monkeypatch, "ask", "code?", flag)
        assert seen[0][2] is None


def test_what_was_not_said_is_marked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    given = answer(citations=(WRONG,), unknown_markers=(9,), uncited_quotes=("out of nowhere",), confidence="weak")
    answering(monkeypatch, given)
    out = place.run("ask", "code?").out
    assert "[2] p2.md:1-3 “never said so” NOT FOUND in that passage; it is in [1]" in out
    assert "number [9]" in out
    assert "“out of nowhere” is quoted without a source" in out
    assert "Confidence is weak" in out


def test_a_refusal_shows_the_nearest_passages_as_such(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    given = answer(
        "Not in your files.", refused=True, refused_by="evidence", citations=(), contributed=(), evidence=(),
        nearest=PASSAGES,
    )  # fmt: skip
    answering(monkeypatch, given)
    ended = place.run("ask", "code?")
    assert ended.code == 4
    assert ended.out.index("The nearest passages") < ended.out.index("A heron stood.")
    assert "Also read" not in ended.out


def test_a_model_that_fails_leaves_the_passages(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    given = answer("", failure="The model is away.", citations=(), contributed=(), also_read=())
    answering(monkeypatch, given)
    ended = place.run("ask", "code?")
    assert (ended.code, ended.err) == (3, "The model is away.\n")
    assert "The code is 7." in ended.out


def test_flags_reach_the_pipeline(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = answering(monkeypatch, answer())
    place.run(
        "ask", "the", "code", "--model", "m", "--temperature", "0", "--seed", "0", "--max-tokens", "7", "--prompt", "p",
        "--anyway", "--no-log", "-k", "3",
    )  # fmt: skip
    question, options, _ = seen[0]
    assert (question, options.model, options.temperature, options.seed) == ("the code", "m", 0.0, 0)
    assert (options.max_tokens, options.prompt, options.anyway, options.log) == (7, "p", True, False)
    assert options.query.k == 3


def test_a_dry_run_shows_the_prompt_and_no_answer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, answer("", messages=({"role": "user", "content": "the prompt"},)))
    assert place.run("ask", "code?", "--dry-run").out == "--- user\nthe prompt\n"


def test_without_a_question_a_terminal_asks_for_some_until_it_ends(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for typed in ("one?\n\n  \ntwo?\n:quit\nthree?\n", "one?\ntwo?"):
        seen = answering(monkeypatch, answer())
        on_terminal(place, monkeypatch, "ask", "--no-condense", typed=typed)
        assert [question for question, _, _ in seen] == ["one?", "two?"]


def test_without_a_question_a_pipe_is_read(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = answering(monkeypatch, answer())
    (tmp_path / "question").write_text("a\nquestion?\n", encoding="utf-8")
    with (tmp_path / "question").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert place.run("ask").code == 0
    assert seen[0][0] == "a\nquestion?"


def test_kept_answers_are_listed_shown_and_removed(place: Place) -> None:
    log = AnswerLog(place.folder / ".wherein" / "log.sqlite")
    number = log.add("which\x1b code?", answer(question="which\x1b code?").to_json())
    listed = place.run("answers")
    assert listed.out.startswith(f"{number}  ")
    assert "which␛ code?" in listed.out
    shown = place.run("answers", "show", number)
    assert "It is 7 [1]." in shown.out
    assert "[1] p1.md:1 “The code is 7” stands there word for word" in shown.out
    assert place.run("answers", "--json").json[0]["answer"]["model"] == "m"
    for given in (("answers", "show", number, "--json"), ("answers", "--json", "show", number),
                  ("--json", "answers", "show", number)):  # fmt: skip
        assert place.run(*given).json["id"] == number
    assert place.run("answers", "show", "nosuch").code == 4
    assert place.run("answers", "purge", "--older-than", "1", "--json").json == {"removed": 0}
    assert place.run("answers", "purge").out == "Removed 1 answer.\n"
    assert place.run("answers", "--json").json == []
