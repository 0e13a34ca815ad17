"""A follow-up is made to stand by itself, by one request that may fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.models import ServerConfig
from tasks.providers.base import Generation, GenerationFailed, Seconds, Usage
from wherein.pipelines import follow_up
from wherein.pipelines.follow_up import TURNS, Turn, condense
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

MODEL = Model("m", ServerConfig("m", "ollama", "http://127.0.0.1:9", "m"), 8192)


def wrote(monkeypatch: pytest.MonkeyPatch, text: str | GenerationFailed) -> list[dict[str, str]]:
    sent: list[dict[str, str]] = []

    def complete(_workspace: object, _model: object, template: str, values: dict[str, str], *_: object) -> Generation:
        assert template == "condense"
        sent.append(values)
        if isinstance(text, GenerationFailed):
            raise text
        return Generation(text, True, Usage(), Seconds(), ())

    monkeypatch.setattr(follow_up, "complete", complete)
    return sent


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "wherein.toml").write_text("", encoding="utf-8")
    return Workspace.find(tmp_path)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("What was sold in 1912?", "What was sold in 1912?"),
        ('\n  "What was sold in 1912?"\nI hope this helps.', "What was sold in 1912?"),
        ('Who said "yes" and "no"?', 'Who said "yes" and "no"?'),
        ('"Yes" or "no"', '"Yes" or "no"'),
        ("ñ" * 400, "ñ" * 400),
        ("What was said of the wall, and of the wall in 1912?", "What was said of the wall, and of the wall in 1912?"),
    ],
)
def test_the_first_line_that_is_written_is_the_question(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, text: str, question: str
) -> None:
    wrote(monkeypatch, text)
    found = condense(workspace, MODEL, [Turn("q", "a")], "and then?")
    assert (found.question, found.failure) == (question, None)


@pytest.mark.parametrize(
    "text", ["", " \n\t", '""', "The conversation so far:\nQ", "The answer is: " * 9 + "x", "ñ" * 600]
)
def test_where_nothing_is_written_the_question_stays_and_the_reason_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    wrote(monkeypatch, text)
    found = condense(workspace, MODEL, [Turn("q", "a")], "and then?")
    assert found.question == "and then?"
    assert "wrote no question" in (found.failure or "")


def test_a_model_that_fails_leaves_the_question(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote(monkeypatch, GenerationFailed("away", "The model is away."))
    found = condense(workspace, MODEL, [Turn("q", "a")], "and then?")
    assert (found.question, found.failure) == ("and then?", "The model is away.")


def test_only_the_last_turns_are_sent_and_long_answers_are_cut(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = wrote(monkeypatch, "x?")
    condense(workspace, MODEL, [Turn(f"q{n}?", "word " * 1000) for n in range(TURNS + 2)], "and then?")
    assert [line for line in sent[0]["history"].splitlines() if line.startswith("Question")] == [
        f"Question: q{n}?" for n in range(2, TURNS + 2)
    ]
    assert len(sent[0]["history"]) < TURNS * 700
