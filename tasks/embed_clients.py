"""One request to a served embedding model, over the client library of its protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from tasks.models import ServerConfig
from tasks.patience import Fault, lost, malformed, refusal
from tasks.servers import api_key, client_options

_ECHO_CHARACTERS = 24


class Client(Protocol):
    """A raw vector for each text, in order; raises Fault."""

    def send(self, texts: Sequence[str]) -> list[Any]: ...
    def close(self) -> None: ...


class OpenAIClient:
    """`POST /embeddings` of the OpenAI protocol."""

    def __init__(self, server: ServerConfig) -> None:
        import openai

        self._server, self._key = server, api_key(server)
        http = openai.DefaultHttpxClient(**client_options(server.base_url, self._key, server.timeout_seconds))
        # Everything the library would else take from the environment is given here, or dropped by a hook of `http`.
        self._client = openai.OpenAI(
            api_key=self._key or "none", base_url=server.base_url, max_retries=0, http_client=http
        )

    def send(self, texts: Sequence[str]) -> list[Any]:
        with self._faults(texts):
            answer = self._client.embeddings.create(
                model=self._server.model, input=list(texts), encoding_format="float"
            )
        rows = getattr(answer, "data", None)
        return in_order(rows if isinstance(rows, list) else [], len(texts))

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def _faults(self, texts: Sequence[str]) -> Iterator[None]:
        import openai

        try:
            yield
        except openai.APITimeoutError as error:
            raise timed_out(self._server) from error
        except openai.APIConnectionError as error:
            raise lost(f"no connection ({error.__cause__ or error})") from error
        except openai.APIStatusError as error:
            said = openai_said(error, self._key, texts)
            raise refusal(error.status_code, said, error.response.headers.get("retry-after")) from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise malformed("the server's answer is no list of embeddings") from error


class OllamaClient:
    """`POST /api/embed` of Ollama; too long an input is an error instead of being cut without a word."""

    def __init__(self, server: ServerConfig, window: int, usual_window: int) -> None:
        import ollama

        self._server, self._key = server, api_key(server)
        self._retry_after: str | None = None
        options = client_options(server.base_url, self._key, server.timeout_seconds)
        options["event_hooks"]["response"] = [self._remember]
        self._client: Any = ollama.Client(host=server.base_url, **options)
        self._options = {"num_ctx": window} if window > usual_window else None

    def send(self, texts: Sequence[str]) -> list[Any]:
        with self._faults(texts):
            answer = self._client.embed(
                model=self._server.model,
                input=list(texts),
                truncate=False,
                options=self._options,
                keep_alive=self._server.keep_alive,
            )
        if len(answer.embeddings) != len(texts):
            raise malformed(f"the server answered {len(answer.embeddings)} vectors for {len(texts)} texts")
        return list(answer.embeddings)

    def close(self) -> None:
        self._client.close()

    def _remember(self, response: Any) -> None:
        # The library's error does not carry the headers.
        self._retry_after = response.headers.get("retry-after")

    @contextmanager
    def _faults(self, texts: Sequence[str]) -> Iterator[None]:
        import httpx
        import ollama

        try:
            yield
        except ollama.ResponseError as error:
            raise refusal(error.status_code, without(str(error.error), self._key, texts), self._retry_after) from error
        except httpx.TimeoutException as error:
            raise timed_out(self._server) from error
        except (httpx.TransportError, ConnectionError) as error:
            raise lost("no connection") from error
        except (httpx.HTTPError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise malformed("the server's answer is no list of embeddings") from error


def in_order(rows: Sequence[Any], count: int) -> list[Any]:
    """The vectors by the number each carries; a lone one needs none."""
    if len(rows) != count:
        raise malformed(f"the server answered {len(rows)} vectors for {count} texts")
    vectors = [getattr(row, "embedding", None) for row in rows]
    if count == 1:
        return vectors
    by_number = dict(zip([getattr(row, "index", None) for row in rows], vectors, strict=True))
    if by_number.keys() != set(range(count)):
        raise malformed(f"the server numbered its {count} vectors wrong")
    return [by_number[i] for i in range(count)]


def timed_out(server: ServerConfig) -> Fault:
    return Fault(f"no answer within {server.timeout_seconds:g} seconds")


def openai_said(error: Any, key: str | None, texts: Sequence[str]) -> str:
    """The server's own words in an error of the OpenAI protocol, or of a server that is not strict about it."""
    body = error.body
    said = body.get("message") or body.get("error") or body.get("detail") if isinstance(body, dict) else body
    return without(str(said or ""), key, texts)


def without(said: str, key: str | None, texts: Sequence[str]) -> str:
    """A server's words less the key, and nothing at all if they repeat what was sent."""
    if any(text[:_ECHO_CHARACTERS] in said for text in texts if len(text) >= _ECHO_CHARACTERS):
        return ""
    return said.replace(key, "…") if key else said
