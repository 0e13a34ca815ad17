"""OpenAI, and every server that speaks its protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from tasks.models import ServerConfig
from tasks.providers.base import Fault, GenerationRequest, Piece
from tasks.providers.wire import Wired

if TYPE_CHECKING:
    from openai import APIError, OpenAI

NO_KEY = "none"
"""The client demands a key; the wire sends none unless the settings name one."""


class OpenAIProvider(Wired):
    """Streams chats through the `openai` client, its own retries off and nothing read from the environment."""

    def __init__(self, server: ServerConfig, key: str | None) -> None:
        import openai  # time that no limit of a request should count

        super().__init__(server, key)
        self._client_class = openai.OpenAI

    def stream(self, request: GenerationRequest, omit: frozenset[str]) -> Iterator[Piece]:
        """The answer in pieces; raises Fault."""
        import httpx
        import openai

        try:
            yield from self._chat(request, omit)
        except openai.APIStatusError as error:
            raise _refused(error.status_code, error, self._wire.redirected or error.response.text) from error
        except openai.APIConnectionError as error:
            raise _unconnected(error) from error
        except openai.APIError as error:
            raise _refused(-1, error, error.message) from error
        except httpx.HTTPError as error:
            raise Fault(-1, str(error) or type(error).__name__) from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            told = str(error) if type(error) is ValueError else type(error).__name__
            raise Fault(-1, f"what it sent is no chat completion ({told})") from error

    def _chat(self, request: GenerationRequest, omit: frozenset[str]) -> Iterator[Piece]:
        with self._client(request.timeout_seconds) as client:
            stream = client.chat.completions.create(**parameters(self._server.model, request, omit))
            if "json" in stream.response.headers.get("content-type", ""):
                yield _whole(json.loads(stream.response.read()))
                return
            chunk = None
            for chunk in stream:
                yield _piece(chunk)
            if chunk is None:
                raise ValueError("not one event of a stream")

    def _client(self, read_seconds: float) -> OpenAI:
        import httpx

        return self._client_class(
            api_key=NO_KEY,
            base_url=self._server.base_url,
            max_retries=0,
            http_client=cast(Any, httpx.Client(**self._wire.options(read_seconds))),
        )


def parameters(model: str, request: GenerationRequest, omit: frozenset[str]) -> dict[str, Any]:
    """The request's fields; a server that refuses `max_tokens` is sent it by its newer name."""
    limit = "max_completion_tokens" if "max_tokens" in omit else "max_tokens"
    fields = {
        "temperature": request.temperature,
        "seed": request.seed,
        limit: request.max_tokens,
        "stream_options": {"include_usage": True},
    }
    sent = {name: value for name, value in fields.items() if name not in omit and value is not None}
    return {"model": model, "messages": list(request.messages), "stream": True, **sent}


def _piece(chunk: Any) -> Piece:
    choice = chunk.choices[0] if chunk.choices else None
    usage = chunk.usage
    return Piece(
        (choice.delta.content or "") if choice is not None else "",
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=getattr(usage, "completion_tokens", None),
        finish_reason=choice.finish_reason if choice is not None else None,
    )


def _whole(body: Mapping[str, Any]) -> Piece:
    """The answer of a server that does not stream."""
    if body.get("error"):
        raise Fault(-1, _message(body, str(body["error"])))
    choice, usage = body["choices"][0], body.get("usage") or {}
    return Piece(
        choice["message"].get("content") or "",
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=usage.get("completion_tokens"),
        finish_reason=choice.get("finish_reason"),
    )


def _refused(status: int, error: APIError, text: str) -> Fault:
    return Fault(status, _message(error.body, text), error.param)


def _message(body: object, text: str) -> str:
    """The words of an error body, whatever its shape; else the text as it came."""
    found: object = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(found, dict):
        found = found.get("message") or found.get("detail")
    return found if isinstance(found, str) and found else text


def _unconnected(error: Exception) -> Fault:
    import httpx

    cause = error.__cause__
    if isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout)):
        return Fault(0, str(cause))
    return Fault(-1, str(cause or error) or type(cause).__name__)
