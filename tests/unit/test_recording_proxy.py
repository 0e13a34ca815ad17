"""The proxy in front of a model server, and what it shows of the requests."""

from __future__ import annotations

from bench.recording_proxy import recording
from bench.sent import checked
from tasks.synthesise import synthesise
from tests.unit.scripted import events, request, scripted, server_config


def test_a_streamed_answer_comes_through_and_its_request_is_kept() -> None:
    with scripted(events("It is ", "seven.", usage=(5, 3))) as server, recording(server.url) as proxy:
        generation = synthesise(server_config("openai", proxy.url), request())
        assert generation.text == "It is seven."
        assert generation.usage.completion_tokens == 3
        assert proxy.bodies == server.bodies
        assert (proxy.bodies[0]["temperature"], proxy.bodies[0]["seed"]) == (0.3, 7)


def test_requests_that_differ_in_a_single_letter_are_not_the_same() -> None:
    def body(text: str, temperature: float) -> dict[str, object]:
        return {"messages": [{"role": "user", "content": text}], "temperature": temperature, "options": {"seed": 0}}

    same = [body("a?", 0.0), body("a?", 0.8), body("é?", 0.0), body("é?", 0.8)]
    found = checked(same, questions=2, answers=2)
    assert found["identical_messages"]
    assert found["fields"] == {"ollama": {"temperature": [0.0, 0.8], "options.seed": [0]}}
    assert not checked([*same[:3], body("e\u0301?", 0.8)], questions=2, answers=2)["identical_messages"]
    assert not checked(same[:3], questions=2, answers=2)["identical_messages"]
