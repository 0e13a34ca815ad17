from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import WhereinError
from tasks.models import ServerConfig
from tasks.providers import attempts
from tasks.providers.base import GenerationFailed
from tasks.providers.deadline import TooLate, bounded
from tasks.providers.reasoning import Visible
from tasks.stage import tracing
from tasks.synthesise import check, synthesise
from tests.unit.scripted import (
    Reply,
    error,
    events,
    ollama_error,
    ollama_lines,
    openai_events,
    request,
    scripted,
    server_config,
)

GOOD = {"ollama": Reply(chunks=ollama_lines("Blue")), "openai-compatible": events("Blue")}
PROVIDERS = sorted(GOOD)
QUIET = "http://127.0.0.1:1"


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds: list[float] = []
    monkeypatch.setattr(attempts.time, "sleep", seconds.append)
    return seconds


def failed(provider: str, *replies: Reply, **changes: Any) -> GenerationFailed:
    with scripted(*replies) as served, pytest.raises(GenerationFailed) as caught:
        synthesise(server_config(provider, served.url), request(**changes))
    return caught.value


# ── faults ────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("provider", PROVIDERS)
def test_four_faults_are_four_sentences(provider: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(GenerationFailed) as caught:
            synthesise(server_config(provider, address), request())
    missing = ollama_error(404, "model 'm' not found") if provider == "ollama" else error(404, "no model m")
    failures = [
        caught.value,
        failed(provider, missing),
        failed(provider, Reply(500, [b"it broke"], "text/plain")),
        failed(provider, Reply(hold=True), first_token_seconds=0.2),
    ]
    assert [failure.kind for failure in failures] == ["unreachable", "model-missing", "server-error", "time-out"]
    assert address in failures[0].message
    assert "Errno" not in failures[0].message
    assert "it broke" in failures[2].message
    assert "synthesis.first_token_seconds" in failures[3].message
    assert all("\n" not in failure.message and failure.code == 1 for failure in failures)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_accepts_and_never_answers_is_left(provider: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        config = server_config(provider, f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(GenerationFailed, match=r"no first token within 0\.2 s.*synthesis\.first_token_seconds"):
            synthesise(config, request(first_token_seconds=0.2))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_that_never_ends_names_the_other_limit_and_the_server_is_let_go(provider: str) -> None:
    begun = {"ollama": ollama_lines("Blue")[:1], "openai-compatible": openai_events("Blue")[:1]}[provider]
    kind = "application/x-ndjson" if provider == "ollama" else "text/event-stream"
    with scripted(Reply(chunks=begun, kind=kind, hold=True)) as served:
        with pytest.raises(GenerationFailed, match=r"synthesis\.timeout_seconds") as caught:
            synthesise(server_config(provider, served.url), request(timeout_seconds=0.5))
        assert served.gone.wait(10)
    assert caught.value.kind == "time-out"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_caller_that_stops_lets_the_server_go(provider: str) -> None:
    begun = {"ollama": ollama_lines("Blue")[:1], "openai-compatible": openai_events("Blue")[:1]}[provider]
    kind = "application/x-ndjson" if provider == "ollama" else "text/event-stream"

    def stop(text: str) -> None:
        raise KeyboardInterrupt

    with scripted(Reply(chunks=begun, kind=kind, hold=True)) as served:
        with pytest.raises(KeyboardInterrupt):
            synthesise(server_config(provider, served.url), request(), stop)
        assert served.gone.wait(10)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_connection_that_breaks_is_a_server_error(provider: str) -> None:
    begun = {"ollama": ollama_lines("Blue")[:1], "openai-compatible": openai_events("Blue")[:1]}[provider]
    kind = "application/x-ndjson" if provider == "ollama" else "text/event-stream"
    failure = failed(provider, Reply(chunks=begun, kind=kind, headers={"Content-Length": "99999"}))
    assert failure.kind == "server-error"


def test_a_long_error_is_shortened_to_one_line() -> None:
    failure = failed("ollama", ollama_error(500, "trace\n" * 500))
    assert len(failure.message) < 400
    assert "\n" not in failure.message


# ── waiting ───────────────────────────────────────────────────────────────────────────────────────
def throttled(provider: str, **headers: str) -> Reply:
    reply = ollama_error(429, "slow down") if provider == "ollama" else error(429, "slow down")
    return Reply(reply.status, reply.chunks, reply.kind, headers)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_asks_to_wait_is_asked_again_as_it_says(provider: str, slept: list[float]) -> None:
    busy = throttled(provider, **{"Retry-After": "3"})
    with scripted(busy, busy, GOOD[provider]) as served:
        generation = synthesise(server_config(provider, served.url), request())
    assert (generation.text, slept, len(served.bodies)) == ("Blue", [3.0, 3.0], 3)
    assert served.bodies[0] == served.bodies[2]
    assert generation.notes == ("The model server asked to wait (429); the request was repeated 2 times.",)
    assert generation.controlled


@pytest.mark.parametrize("provider", PROVIDERS)
def test_waiting_ends_after_three_times(provider: str, slept: list[float]) -> None:
    failure = failed(provider, throttled(provider))
    assert (failure.kind, slept) == ("server-error", [1.0, 2.0, 4.0])
    assert "429" in failure.message


@pytest.mark.parametrize("seconds", ["61", "25"])
def test_a_wait_that_is_too_long_is_not_begun(seconds: str, slept: list[float]) -> None:
    failed("ollama", throttled("ollama", **{"Retry-After": seconds}), timeout_seconds=20.0)
    assert slept == []


def test_retry_after_is_a_number_or_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert attempts.wait_seconds("2.5", 0) == 2.5
    assert 50 < attempts.wait_seconds(later, 0) <= 100
    assert attempts.wait_seconds("-3", 0) == 0
    assert [attempts.wait_seconds(None, 2), attempts.wait_seconds("soon", 1)] == [4.0, 2.0]


# ── deadlines ─────────────────────────────────────────────────────────────────────────────────────
def test_items_pass_in_order_and_an_error_is_raised_where_they_are_read() -> None:
    def produce() -> Iterator[int]:
        yield from (1, 2)
        raise LookupError("inside")

    seen = []
    with pytest.raises(LookupError, match="inside"):
        for item in bounded(produce, lambda: None, first_seconds=5, until=time.monotonic() + 5):
            seen.append(item)
    assert seen == [1, 2]


def test_a_stream_that_is_too_late_is_aborted_once_and_named() -> None:
    aborted: list[bool] = []

    def produce() -> Iterator[int]:
        while not aborted:
            time.sleep(0.01)
        yield 1

    stream = bounded(produce, lambda: aborted.append(True), first_seconds=0.05, until=time.monotonic() + 60)
    with pytest.raises(TooLate) as late:
        next(stream)
    assert (late.value.setting, aborted) == ("first_token_seconds", [True])


# ── thinking aloud ────────────────────────────────────────────────────────────────────────────────
def visible(*pieces: str) -> tuple[str, str]:
    filter_ = Visible()
    shown = "".join([*(filter_.feed(piece) for piece in pieces), filter_.end()])
    return shown, filter_.answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", ""),
        ("Blue", "Blue"),
        ("<b>Blue</b>", "<b>Blue</b>"),
        ("<", "<"),
        ("<think>a</think>Blue", "Blue"),
        ("\n<think>\na\n</think>\n\nBlue [1].", "Blue [1]."),
        ("<thinking>a</thinking> Blue", "Blue"),
        ("<think>a", ""),
        ("<think></think>", ""),
        ("Blue <think>a</think>", "Blue <think>a</think>"),
        ("he thinks</think>\n\nBlue", "Blue"),
        ("<think>a</think>It says </think> here", "It says </think> here"),
    ],
)
def test_a_leading_thinking_block_is_never_shown(text: str, answer: str) -> None:
    assert visible(text)[1] == answer
    assert visible(*text)[1] == answer
    if "</think>\n\nBlue" not in text or "<think>" in text:
        assert visible(*text)[0].strip() == answer


@given(st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "\n", "<", "b>"]), max_size=12))
def test_how_a_text_is_cut_into_pieces_changes_nothing(pieces: list[str]) -> None:
    assert visible(*pieces) == visible("".join(pieces)) == visible(*"".join(pieces))


# ── what is checked before anything is sent ───────────────────────────────────────────────────────
def test_a_remote_model_without_its_key_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A_KEY", raising=False)
    server = ServerConfig("openai/o3", "openai", "https://api.openai.com/v1", "o3", "A_KEY")
    with pytest.raises(WhereinError, match=r"openai/o3.*A_KEY") as caught:
        synthesise(server, request())
    assert caught.value.code == 2
    monkeypatch.setenv("A_KEY", "k")
    check(server)


@pytest.mark.parametrize("address", ["", "127.0.0.1:8080", "ftp://a/v1", "http://", "http://[::1", "http://a:b/v1"])
def test_an_address_that_is_none_is_a_wrong_setting(address: str) -> None:
    with pytest.raises(WhereinError, match=r"models\.x\.base_url") as caught:
        check(ServerConfig("x", "openai-compatible", address, "m"))
    assert caught.value.code == 2


# ── what the server counted ───────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("counted", "noted"), [(2048, True), (2399, True), (2400, False), (5000, False)])
def test_a_prompt_that_was_cut_by_the_server_is_noticed(counted: int, noted: bool) -> None:
    counts = {"prompt_eval_count": counted, "eval_count": 3}
    with scripted(Reply(chunks=ollama_lines("Blue", **counts))) as served:
        generation = synthesise(server_config("ollama", served.url), request(least_tokens=3000))
    assert [f"counted {counted} tokens" in note for note in generation.notes] == ([True] if noted else [])


def test_the_stage_is_timed_as_one_answer() -> None:
    with tracing() as trace:
        synthesise(None, request(question="blue", passages=("It is quite blue.",)))
    (time_,) = trace.times()
    assert (time_.stage, time_.items) == ("synthesise", 1)


def test_nothing_heavy_is_imported_before_a_model_is_asked() -> None:
    code = "import sys, tasks.synthesise, tasks.cite, tasks.measure, tasks.prompt, store.log\n"
    code += "print(*sorted({'numpy', 'httpx', 'openai', 'ollama', 'llama_index', 'yaml'} & set(sys.modules)))"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
