from __future__ import annotations

from typing import Any

import pytest

from store.errors import USAGE, WhereinError
from tasks.embed import load_embedder
from tasks.servers import is_loopback
from tests.unit.embedding_server import Sleeps, backend, config, good, vector
from tests.unit.small_server import Reply, serving

SECRET = "sk-very-secret"


def test_nothing_of_the_environment_is_sent_or_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OLLAMA_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Leak: {SECRET}\nAuthorization: Bearer {SECRET}")
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for provider in ("openai-compatible", "ollama"):
        with serving(ollama if provider == "ollama" else good) as server:
            url = server.url if provider == "ollama" else server.url + "/v1"
            assert backend(config(url, provider=provider)).documents(["a"]).vectors
        assert SECRET not in str(server.requests)
        assert "authorization" not in server.requests[0][1]


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with serving(good) as server:
        backend(config(server, api_key_env="MY_KEY")).documents(["a"])
    assert server.requests[0][1]["authorization"] == f"Bearer {SECRET}"


def test_a_hosted_model_without_its_key_and_a_wrong_address_are_wrong_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    wrong = [
        (config("https://api.example/v1", provider="openai", api_key_env="MY_KEY"), "MY_KEY"),
        (config("localhost:8080"), "models.local.base_url"),
        (config(""), "models.local.base_url"),
    ]
    for settings, says in wrong:
        with pytest.raises(WhereinError) as caught:
            load_embedder(settings)
        assert caught.value.code == USAGE
        assert says in caught.value.message


def test_neither_key_nor_text_comes_back_in_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    private = "a private sentence about the boiler"
    for said in (f"bad key {SECRET}", f"cannot embed {private!r}"):
        with serving(lambda _path, _body, said=said: Reply(400, {"error": {"message": said}})) as server:  # type: ignore[misc]
            result = backend(config(server, api_key_env="MY_KEY")).documents([private])
        assert SECRET not in result.refused[0]
        assert "private" not in result.refused[0]


def ollama(path: str, body: dict[str, Any]) -> Reply:
    assert path == "/api/embed"
    return Reply(value={"model": body["model"], "embeddings": [vector(text) for text in body["input"]]})


def test_ollama_is_told_to_keep_the_model_and_never_to_cut() -> None:
    with serving(ollama) as server:
        settings = config(server.url, "all-minilm", provider="ollama")
        assert len(backend(settings).documents(["a", "b"]).vectors) == 2
        wide = config(server.url, "bge-m3", provider="ollama", context_window=8192, keep_alive="1h")
        backend(wide).documents(["a"])
    first, second = (body for _, _, body in server.requests)
    assert (first["truncate"], first["keep_alive"], first.get("options")) == (False, "10m", None)
    assert (second["keep_alive"], second["options"]) == ("1h", {"num_ctx": 8192})


def test_faults_of_ollama_mean_the_same() -> None:
    outcomes = {}
    for status in (404, 429, 500):
        sleeps = Sleeps()
        reply = Reply(status, {"error": "try pulling it first"}, {"Retry-After": "2"})
        with serving(lambda _path, _body, reply=reply: reply) as server:  # type: ignore[misc]
            outcomes[status] = (backend(config(server.url, provider="ollama"), sleeps).documents(["a"]), sleeps)
    assert "try pulling it first" in str(outcomes[404][0].unreachable)
    assert outcomes[429][0].unreachable is not None
    assert outcomes[429][1] == [2.0, 2.0, 2.0]
    assert outcomes[500][0].refused
    with serving(good) as server:
        gone = config(server.url, provider="ollama")
    assert "no connection" in str(backend(gone).documents(["a"]).unreachable)
    junk: list[Any] = [b"<html>", {"embeddings": [[None]]}, {"embeddings": []}, b'"x"']
    for value in junk:
        with serving(lambda _path, _body, value=value: Reply(value=value)) as server:  # type: ignore[misc]
            assert backend(config(server.url, provider="ollama")).documents(["a"]).refused[0]


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost", True),
        ("http://[::1]:8080", True),
        ("http://127.5.5.5", True),
        ("https://api.openai.com/v1", False),
        ("http://192.168.1.2", False),
        ("http://localhost.example.com", False),
    ],
)
def test_loopback_is_told_from_the_world(url: str, inside: bool) -> None:
    assert is_loopback(url) is inside
