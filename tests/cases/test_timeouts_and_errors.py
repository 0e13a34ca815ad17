from __future__ import annotations

import re

import pytest

from tests.support.faults import Fault, always
from tests.support.process import Result
from tests.support.stub import Stub
from tests.support.talk import Talk
from tests.support.workspace import Workspace

PROVIDERS = ("openai-compatible", "ollama")


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    ws.write_all({"a.txt": "the pelican code is 7", "b.txt": "garden notes"})
    ws.ingest()
    return ws


def _ask(ws: Workspace, provider: str, *flags: str) -> Result:
    model = "stubollama" if provider == "ollama" else "stubchat"
    return ws.run("ask", "what is the pelican code?", "--json", "--model", model, *flags)


def _sentence(result: Result) -> str:
    """The one sentence about the fault; the passages must be there all the same."""
    answer = result.expect(3).json
    assert answer["evidence"][0]["path"] == "a.txt"
    assert not answer["citations"]
    return " ".join(answer["notes"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_four_causes_are_told_in_four_different_sentences(ready: Workspace, provider: str) -> None:
    stub = ready.stub
    with Stub() as gone:
        address = gone.url
    suffix = "" if provider == "ollama" else "/v1"
    ready.add_model("dead", "stub-chat", provider, base_url=address + suffix)
    unreachable = _sentence(_ask(ready, provider, "--model", "dead"))
    assert address.removeprefix("http://") in unreachable

    stub.missing = {"stub-chat"}
    missing = _sentence(_ask(ready, provider))
    assert "stub-chat" in missing
    assert provider != "ollama" or "ollama pull stub-chat" in missing
    stub.missing = set()

    stub.rule("chat", always(Fault(500, "the engine caught fire")))
    assert "the engine caught fire" in (broken := _sentence(_ask(ready, provider)))
    stub.calm()

    stub.rule("chat", always(Fault(hang=True)))
    limits = ("--set", "synthesis.first_token_seconds=1", "--set", "synthesis.timeout_seconds=2")
    late = _sentence(_ask(ready, provider, *limits))
    assert "synthesis.first_token_seconds" in late or "synthesis.timeout_seconds" in late

    assert len({unreachable, missing, broken, late}) == 4


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_stream_cut_short_is_an_error_and_not_an_answer(ready: Workspace, provider: str) -> None:
    ready.stub.default_answer = "The code is seven as the passages say [1]."
    ready.stub.rule("chat", always(Fault(cut_after_pieces=3)))
    result = _ask(ready, provider).expect(1, 3)
    assert result.json["evidence"]


def test_a_broken_model_shows_the_passages_to_a_person_too(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(500, "the engine caught fire")))
    result = ready.run("ask", "what is the pelican code?").expect(3)
    assert "a.txt" in result.stdout
    assert "the engine caught fire" in result.stdout + result.stderr


def test_a_model_nobody_configured_is_wrong_usage(ready: Workspace) -> None:
    assert "model '' is not known" in ready.run("ask", "pelican", "--model", "").expect(2).said
    assert "nosuchmodel" in ready.run("ask", "pelican", "--model", "nosuchmodel").expect(2).said
    assert ready.stub.chats == []


def test_a_rate_limit_is_waited_for_and_told(ready: Workspace) -> None:
    ready.stub.rule("chat", lambda seen: Fault(429, headers={"Retry-After": "1"}) if seen.ordinal == 1 else None)
    answer = _ask(ready, "openai-compatible").expect(0).json
    assert len(ready.stub.chats) == 2
    assert "429" in " ".join(answer["notes"]) or "rate" in " ".join(answer["notes"]).lower()


def test_a_rate_limit_that_never_ends_is_given_up(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(429, headers={"Retry-After": "1"})))
    _sentence(_ask(ready, "openai-compatible"))
    assert len(ready.stub.chats) < 20


def test_a_context_overflow_at_the_server_is_told_with_its_text(ready: Workspace) -> None:
    ready.stub.context_tokens["stub-chat"] = 1
    assert "maximum context length" in _sentence(_ask(ready, "openai-compatible"))


def test_a_model_slower_to_start_than_the_usual_client_limit_is_waited_for(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(delay_seconds=7)))
    runs = [ready.start("ask", "pelican code?", "--json", "--model", name) for name in ("stubchat", "stubollama")]
    for run in runs:
        assert run.wait(120).expect(0).json["answer"]


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_first_token_may_take_half_a_minute_by_default(ready: Workspace, provider: str) -> None:
    ready.stub.rule("chat", always(Fault(delay_seconds=33)))
    model = "stubollama" if provider == "ollama" else "stubchat"
    result = ready.run("ask", "pelican code?", "--json", "--model", model, timeout=120)
    assert result.expect(0).json["answer"]


def test_a_person_is_told_what_is_waited_for(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(delay_seconds=3)))
    talk = Talk(ready, "--no-condense")
    talk.until("? ")
    talk.type("pelican code?\n")
    shown = talk.until("Files that contributed")
    assert re.search(r"\d s: waiting for stubchat \(at most 300 s, synthesis.first_token_seconds\)", shown)
    assert talk.end() == 0


def test_ctrl_c_during_an_answer_ends_it(ready: Workspace) -> None:
    gate = ready.stub.hold("chat")
    running = ready.start("ask", "pelican code?")
    gate.wait_reached()
    running.interrupt()
    running.wait(30).expect(130)
