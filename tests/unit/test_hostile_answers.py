"""What a model server may send instead of an answer, and what a model may write in one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.records import to_json
from tasks.cite import cite
from tasks.providers.attempts import MOST_CHARACTERS_PER_TOKEN
from tasks.providers.base import Generation, GenerationFailed, Usage, counted
from tasks.synthesise import synthesise
from tests.unit.hits import hits
from tests.unit.scripted import Reply, openai_events, request, scripted, server_config

NAN = float("nan")
STREAM = "text/event-stream"


def chunk(**fields: Any) -> bytes:
    return (
        b"data: "
        + json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, **fields}).encode()
        + b"\n\n"
    )


def line(**fields: Any) -> bytes:
    return json.dumps({"model": "m", "done": False, **fields}).encode() + b"\n"


def said(text: str) -> bytes:
    return line(message={"role": "assistant", "content": text})


def ended(**fields: Any) -> bytes:
    return line(**{"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **fields})


def sent(provider: str, reply: Reply, **changes: Any) -> Generation:
    with scripted(reply) as served:
        made = synthesise(server_config(provider, served.url), request(**changes))
    json.dumps(to_json(made), allow_nan=False).encode()
    return made


def refused(provider: str, reply: Reply) -> GenerationFailed:
    with pytest.raises(GenerationFailed) as failed:
        sent(provider, reply)
    assert "\n" not in failed.value.message
    return failed.value


# ── counts ────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("wrong", [-5, NAN, float("inf"), 2.5, "5", None, 10**30, [1], True])
def test_a_count_that_is_none_costs_the_count_and_not_the_answer(wrong: Any) -> None:
    blue = openai_events("Blue")
    usage = chunk(choices=[], usage={"prompt_tokens": wrong, "completion_tokens": 7, "total_tokens": wrong})
    made = sent("openai-compatible", Reply(200, [*blue[:-1], usage, blue[-1]], STREAM))
    assert (made.text, made.usage.completion_tokens, made.notes) == ("Blue", 7, ())
    assert made.usage.prompt_tokens in (None, 1, 5), "the library reads True as 1 and '5' as 5"
    made = sent(
        "ollama", Reply(chunks=[said("Blue"), ended(prompt_eval_count=wrong, eval_count=7, load_duration=wrong)])
    )
    assert (made.text, made.usage, made.notes) == ("Blue", Usage(None, 7), ())
    assert counted(wrong) is None


def test_a_whole_number_is_a_count() -> None:
    assert [counted(value) for value in (0, 7, 7.0)] == [0, 7, 7]


# ── streams ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("provider", "reply"),
    [
        ("openai-compatible", Reply(200, [b"<html>log in</html>"], "text/html")),
        ("openai-compatible", Reply(200, [b"<html>log in</html>"], STREAM)),
        ("openai-compatible", Reply(200, [b"<html>"], "application/json")),
        ("openai-compatible", Reply(200, [], STREAM)),
        ("openai-compatible", Reply(200, [b"data: " + b"x" * 1_000_000], STREAM)),
        ("openai-compatible", Reply(200, [b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n'], STREAM)),
        ("ollama", Reply(200, [b"<html>log in</html>"], "text/html")),
        ("ollama", Reply(200, [])),
        ("ollama", Reply(chunks=[said("Blue")])),
        ("ollama", Reply(chunks=[b"\n" * 100_000])),
        ("ollama", Reply(chunks=[line(message=None), ended()])),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_failure_of_the_server(provider: str, reply: Reply) -> None:
    failure = refused(provider, reply)
    assert failure.kind == "server-error"
    assert "what it sent is no" in failure.message


@pytest.mark.parametrize("provider", ["openai-compatible", "ollama"])
def test_where_a_redirect_leads_is_told_and_not_followed(provider: str) -> None:
    failure = refused(provider, Reply(302, [b""], "text/html", {"Location": "http://127.0.0.1:9/elsewhere"}))
    assert "it sends on to http://127.0.0.1:9/elsewhere, which is not followed" in failure.message


def test_a_stream_that_does_not_say_it_ended_may_be_cut() -> None:
    made = sent("openai-compatible", Reply(200, openai_events("Blue")[:1], STREAM))
    assert made.text == "Blue"
    assert made.notes == ("The answer may be cut: the server did not say that it had ended.",)


@pytest.mark.parametrize("provider", ["openai-compatible", "ollama"])
def test_a_server_that_does_not_stop_is_left_where_its_tokens_must_end(provider: str) -> None:
    many = ["word " * 1000] * 40
    chunks = openai_events(*many) if provider != "ollama" else [*map(said, many), ended()]
    made = sent(provider, Reply(200, chunks, STREAM if provider != "ollama" else "application/x-ndjson"), max_tokens=10)
    assert len(made.text) <= 10 * MOST_CHARACTERS_PER_TOKEN
    assert made.notes == ("The answer was cut: the server sent more than synthesis.max_tokens tokens can be.",)


@pytest.mark.parametrize("provider", ["openai-compatible", "ollama"])
def test_half_a_character_is_replaced(provider: str) -> None:
    chunks = openai_events("a \ud800 b") if provider != "ollama" else [said("a \ud800 b"), ended()]
    assert (
        sent(provider, Reply(200, chunks, STREAM if provider != "ollama" else "application/x-ndjson")).text == "a � b"
    )


# ── answers ───────────────────────────────────────────────────────────────────────────────────────
LONG = 40_000


@pytest.mark.parametrize(
    "unit",
    ['"a b c d" [1] ', '"a ', "“a ", "„a ", "»a ", "[", "[1", "[1]", "[1,",
     "[1-", "```\n", "`a ", "\n", "\n> ", ". ", "… ", "<think>",
     "**", "[[", "[a](", "\\", "\u0301", "\u202e", "\0", "x", " ", "[1]\n", '"\n\n', "。", "> [1]\n"],
)  # fmt: skip
def test_endless_repetition_is_looked_through_too(unit: str) -> None:
    """What grows with the square of the length would take minutes here."""
    for frame in ("{}", '"one two three {}" [1]'):
        found = cite(frame.format(unit * (LONG // len(unit))), hits("A heron stood on the wall.", "Another."))
        assert len(found.citations) <= 10
        assert all(citation.marker <= 2 for citation in found.citations)


@pytest.mark.parametrize(
    ("answer", "markers", "unknown"),
    [
        ("[1][2][3]", [1, 2], (3,)),
        ("So [999999999999] and [1-1000000].", [], ()),
        ("So [1-999].", [1], (999,)),
        ("[[1]] [[[2]]] [1[2]3]", [1, 2], ()),
        ("[-1] [1.5] [] [x] [１]", [1], ()),
        ("\u202e[1]\u202c \u2066[2]\u2069", [1, 2], ()),
        ("".join(map(chr, range(32))) + "[1]", [1], ()),
    ],
)
def test_odd_markers_stand_for_passages_of_the_prompt_or_for_none(
    answer: str, markers: list[int], unknown: tuple[int, ...]
) -> None:
    found = cite(answer, hits("A heron stood on the wall.", "Another."))
    assert [citation.marker for citation in found.citations] == markers
    assert found.unknown_markers == unknown
