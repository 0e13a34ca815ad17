"""The demo's questions, without Prefect's server and without a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import connection, demo
from flows.states import Finished
from store.records import Dropped, Evidence, Signal
from tasks.cite import cite
from tests.unit.hits import hits
from wherein.pipelines.answer import Answer, starting

PASSAGES = tuple(hits("The soup has a secret: vinegar at the end.", "The boat was sold in May."))
QUOTED = "“vinegar at the end.” [1]"
Ask = Callable[[str], list[str]]


def _answer(model: str, text: str) -> Answer:
    signal = Signal("rerank", 1.0, None, None)
    found = Evidence("?", "hybrid", {}, "strong", signal, PASSAGES, Dropped(0, 0, 0), (), (), (), None)
    citations = cite(text, PASSAGES).citations
    return Answer(**{**starting(found, "?", model, 0.3, 0), "answer": text, "citations": citations})


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask a model that says this; the models that were asked."""

    def asked(said: str) -> list[str]:
        models: list[str] = []

        def call(_flow: Any, parameters: dict[str, Any], _note: Any) -> Finished:
            models.append(parameters.get("model", "smollm2"))
            return Finished(0, "", _answer(models[-1], said if models[-1] == "smollm2" else QUOTED))

        monkeypatch.setattr(connection, "call", call)
        assert demo._ask({}, "What is the secret?") == [0] * len(models)
        return models

    return asked


def test_an_answer_without_citations_is_followed_by_sentences_that_are_quoted(
    ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("It is salt.") == ["smollm2", "extractive"]
    printed = capsys.readouterr().out
    order = [
        "smollm2:",
        "It is salt.",
        "smollm2 cites no passage",
        "[1] p1.md:1 “vinegar at the end.” stands there word for word",
    ]
    places = [printed.index(part) for part in [*order, "Evidence:", "1. p1.md:1", "2. p2.md:1", "stage "]]
    assert places == sorted(places)


def test_an_answer_with_citations_stands_for_itself(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("It is vinegar [1].") == ["smollm2"]
    assert "[1] p1.md:1" in capsys.readouterr().out
