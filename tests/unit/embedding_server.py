"""A served embedding model for tests, and a backend that talks to it without sleeping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tasks.embed_server import ServedBackend, open_server
from tasks.embedded import Embedded
from tasks.models import EmbeddingConfig, ServerConfig, embedding_spec
from tests.unit.small_server import Answer, Reply, SmallServer, serving


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 2.0]


def rows(vectors: Sequence[Any]) -> Reply:
    return Reply(value={"data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]})


def good(_path: str, body: dict[str, Any]) -> Reply:
    return rows([vector(text) for text in body["input"]])


def config(server: SmallServer | str, model: str = "stub", **more: Any) -> EmbeddingConfig:
    url = server if isinstance(server, str) else server.url + "/v1"
    more = {"provider": "openai-compatible", "base_url": url, "model": model, "timeout_seconds": 5.0, **more}
    return EmbeddingConfig("local", batch=4, server=ServerConfig(name="local", **more))


class Sleeps(list[float]):
    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def backend(settings: EmbeddingConfig, sleeps: Sleeps | None = None) -> ServedBackend:
    opened = open_server(settings, embedding_spec(settings))
    opened.sleep = sleeps if sleeps is not None else Sleeps()
    return opened


def embed(answer: Answer, texts: Sequence[str], sleeps: Sleeps | None = None) -> tuple[Embedded, SmallServer]:
    with serving(answer) as server:
        opened = backend(config(server), sleeps)
        try:
            return opened.documents(texts), server
        finally:
            opened.close()


def failing(bad: Callable[[list[str]], bool], reply: Reply) -> Answer:
    return lambda path, body: reply if bad(body["input"]) else good(path, body)
