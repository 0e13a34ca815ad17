"""Ollama, in its own protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tasks.models import ServerConfig
from tasks.providers.base import Fault, GenerationRequest, Piece
from tasks.providers.wire import Wired

if TYPE_CHECKING:
    from tasks.providers.exact_ollama import ExactOllama


_DEVICE_SECONDS = 2.0


class OllamaProvider(Wired):
    """Streams chats through LlamaIndex's Ollama, with a client that reads nothing from the environment."""

    def __init__(self, server: ServerConfig, key: str | None) -> None:
        from tasks.providers.exact_ollama import Client, ExactOllama  # seconds that no limit of a request should count

        super().__init__(server, key)
        self._llm = ExactOllama
        self._client = Client

    def stream(self, request: GenerationRequest, omit: frozenset[str]) -> Iterator[Piece]:
        """The answer in pieces; raises Fault."""
        import httpx
        import ollama

        try:
            yield from self._chat(request, omit)
        except ollama.ResponseError as error:
            raise Fault(error.status_code, self._wire.redirected or _text(error.error)) from error
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Fault(0, str(error)) from error
        except httpx.HTTPError as error:
            raise Fault(-1, str(error) or type(error).__name__) from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            told = str(error) if type(error) is ValueError else type(error).__name__
            raise Fault(-1, f"what it sent is no Ollama chat ({told})") from error

    def _chat(self, request: GenerationRequest, omit: frozenset[str]) -> Iterator[Piece]:
        from llama_index.core.base.llms.types import ChatMessage

        messages = [ChatMessage(role=m["role"], content=m["content"]) for m in request.messages]
        done = False
        with self._client(self._server.base_url, **self._wire.options(request.timeout_seconds)) as client:
            for response in self._model(request, omit, client).stream_chat(messages):
                raw = response.raw if isinstance(response.raw, dict) else {}
                done = bool(raw.get("done"))
                yield _piece(response.delta or "", raw)
        if not done:
            raise ValueError("the stream ended before the answer did")
        yield Piece(device=self._device())

    def _device(self) -> str | None:
        """Where the model that just answered is loaded; None where the server does not say at once."""
        import httpx
        import ollama

        try:
            with self._client(self._server.base_url, **self._wire.options(_DEVICE_SECONDS)) as client:
                loaded = client.ps().models
        except (ollama.ResponseError, httpx.HTTPError, OSError, ValueError, TypeError, AttributeError):
            return None
        return next((device(m.size, m.size_vram) for m in loaded if self._server.model in _names(m.model)), None)

    def _model(self, request: GenerationRequest, omit: frozenset[str], client: Any) -> ExactOllama:
        options: dict[str, float | int | None] = {
            "temperature": request.temperature,
            "seed": request.seed,
            "num_predict": request.max_tokens,
        }
        return self._llm(
            model=self._server.model,
            base_url=self._server.base_url,
            context_window=request.num_ctx,  # any number but -1: that one asks the server first
            keep_alive=request.keep_alive,
            additional_kwargs={name: value for name, value in options.items() if name not in omit},
            client=client,
        )


def _piece(text: str, raw: Mapping[str, Any]) -> Piece:
    load = raw.get("load_duration")
    return Piece(
        text,
        prompt_tokens=raw.get("prompt_eval_count"),
        completion_tokens=raw.get("eval_count"),
        load_seconds=load / 1e9 if load is not None else None,
        finish_reason=raw.get("done_reason"),
    )


def device(size: int | None, on_gpu: int | None) -> str | None:
    """ "cpu", "gpu", or the share of the model's bytes that the GPU holds."""
    if not size or on_gpu is None or not 0 <= on_gpu <= size:
        return None
    return {0: "cpu", size: "gpu"}.get(on_gpu, f"{100 * on_gpu / size:.0f} % gpu")


def _names(model: str | None) -> tuple[str, str]:
    """Ollama puts `:latest` behind a name without a tag."""
    return (model or "", (model or "").removesuffix(":latest"))


def _text(error: object) -> str:
    """An error as it came, or the message of one shaped like OpenAI's."""
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
