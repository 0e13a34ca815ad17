from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.faults import Seen
from tests.support.workspace import Workspace

PROVIDER_MODELS = ("stubchat", "stubollama")


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    ws.write_all({"a.txt": "the pelican code is 7", "b.txt": "garden notes"})
    ws.ingest()
    return ws


def _sampling(seen: Seen) -> dict[str, Any]:
    given: dict[str, Any] = seen.body["options"] if seen.path == "/api/chat" else seen.body
    return {key: given.get(key) for key in ("temperature", "seed")}


@pytest.mark.parametrize("model", PROVIDER_MODELS)
@pytest.mark.parametrize("temperature", [0, 0.3, 1.7])
def test_the_set_temperature_and_seed_reach_the_model(ready: Workspace, model: str, temperature: float) -> None:
    ready.configure({"synthesis": {"temperature": temperature, "seed": 0, "model": model}})
    answer = ready.ask("pelican code?")
    assert _sampling(ready.stub.chats[0]) == {"temperature": temperature, "seed": 0}
    assert (answer["temperature"], answer["seed"], answer["controlled"]) == (temperature, 0, True)


@pytest.mark.parametrize("model", PROVIDER_MODELS)
def test_flags_win_over_settings(ready: Workspace, model: str) -> None:
    ready.configure({"synthesis": {"temperature": 0.9, "seed": 5}})
    ready.ask("pelican code?", "--model", model, "--temperature", "0", "--seed", "0")
    assert _sampling(ready.stub.chats[0]) == {"temperature": 0, "seed": 0}


def test_compare_sends_each_temperature_to_each_model(ready: Workspace) -> None:
    flags = ("--model", "stubchat", "--model", "stubollama", "--temperature", "0", "--temperature", "0.3")
    ready.compare("pelican code?", *flags)
    sent = [(seen.path, _sampling(seen)["temperature"]) for seen in ready.stub.chats]
    assert sorted(sent) == [
        ("/api/chat", 0), ("/api/chat", 0.3), ("/v1/chat/completions", 0), ("/v1/chat/completions", 0.3)
    ]  # fmt: skip


@pytest.mark.parametrize("provider", ["openai-compatible", "ollama"])
def test_a_model_that_refuses_the_temperature_is_asked_without_it_and_says_so(ready: Workspace, provider: str) -> None:
    ready.add_model("thinker", "o-stub", provider)
    ready.stub.refused_parameters["o-stub"] = {"temperature"}
    answer = ready.ask("pelican code?", "--model", "thinker", "--temperature", "0")
    assert answer["answer"]
    assert answer["controlled"] is False
    assert "temperature" in " ".join(answer["notes"])
    first, second = ready.stub.chats
    assert _sampling(first)["temperature"] == 0
    assert _sampling(second)["temperature"] is None
    assert _sampling(second)["seed"] == _sampling(first)["seed"]


def test_a_refused_seed_is_left_out_too(ready: Workspace) -> None:
    ready.stub.refused_parameters["stub-chat"] = {"seed"}
    answer = ready.ask("pelican code?", "--seed", "7")
    assert _sampling(ready.stub.chats[-1])["seed"] is None
    assert answer["controlled"] is False


def test_in_a_comparison_the_refusing_model_is_marked_uncontrolled(ready: Workspace) -> None:
    ready.add_model("thinker", "o-stub")
    ready.stub.refused_parameters["o-stub"] = {"temperature"}
    report = ready.compare("pelican code?", "--model", "stubchat", "--model", "thinker", "--temperature", "0")
    by_model = {answer["model"]: answer for answer in report["answers"]}
    assert {answer["status"] for answer in report["answers"]} == {"ok"}
    assert by_model["stubchat"]["controlled"] is True
    assert by_model["thinker"]["controlled"] is False
    page = ready.run("compare", "pelican code?", "--model", "thinker", "--temperature", "0").expect(0).said
    assert "uncontrolled" in page


@pytest.mark.parametrize("model", PROVIDER_MODELS)
def test_the_same_question_sends_the_same_bytes(ready: Workspace, model: str) -> None:
    for _ in range(2):
        ready.ask("pelican code?", "--model", model)
    ready.ingest()
    ready.ask("pelican code?", "--model", model)
    ready.ask("pelican code?", "--model", model, env={"PYTHONHASHSEED": "77"})
    assert len({json.dumps(seen.body) for seen in ready.stub.chats}) == 1


@pytest.mark.parametrize("value", ["-0.1", "warm", "nan"])
def test_an_impossible_temperature_is_wrong_usage(ready: Workspace, value: str) -> None:
    ready.run("ask", "pelican code?", f"--temperature={value}").expect(2)
    assert ready.stub.chats == []
