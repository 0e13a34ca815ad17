"""A server on loopback that answers what a test wrote down, and keeps the bytes of each request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tasks.models import ServerConfig
from tasks.providers.base import GenerationRequest


@dataclass
class Reply:
    """Chunks are sent one by one; `hold` keeps the connection open after them until the server ends."""

    status: int = 200
    chunks: list[bytes] = field(default_factory=list)
    kind: str = "application/x-ndjson"
    headers: dict[str, str] = field(default_factory=dict)
    hold: bool = False


class Scripted(ThreadingHTTPServer):
    """Replies in turn, the last one for ever."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = replies
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.sent_headers: list[dict[str, str]] = []
        self.gone = threading.Event()
        self.ending = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests want."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.raw.append(raw)
        self.server.bodies.append(json.loads(raw))
        self.server.sent_headers.append({name.lower(): value for name, value in self.headers.items()})
        self._send(self.server.replies[min(len(self.server.raw), len(self.server.replies)) - 1])

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.kind, "Connection": "close", **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(chunk)
            self.wfile.flush()
        if reply.hold:
            self._wait()
        self.close_connection = True

    def _wait(self) -> None:
        """Until the client hangs up, which a read of its side shows, or the test is over."""
        self.connection.settimeout(0.05)
        while not self.server.ending.is_set():
            try:
                if not self.connection.recv(1):
                    self.server.gone.set()
                    return
            except TimeoutError:
                continue
            except OSError:
                self.server.gone.set()
                return


@contextmanager
def scripted(*replies: Reply) -> Iterator[Scripted]:
    """The server, running."""
    server = Scripted(list(replies))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        server.server_close()


def ollama_lines(*contents: str, **last: Any) -> list[bytes]:
    """A streamed Ollama answer; `last` goes into its final line."""
    rows: list[dict[str, Any]] = [{"message": {"role": "assistant", "content": text}} for text in contents]
    rows.append({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **last})
    return [json.dumps({"model": "m", "done": False, **row}).encode() + b"\n" for row in rows]


def openai_events(*contents: str, finish: str = "stop", usage: tuple[int, int] | None = None) -> list[bytes]:
    """A streamed OpenAI answer."""
    rows: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]} for text in contents
    ]
    rows.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage is not None:
        counted = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        rows.append({"choices": [], "usage": counted})
    common = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return [b"data: " + json.dumps({**common, **row}).encode() + b"\n\n" for row in rows] + [b"data: [DONE]\n\n"]


def events(*contents: str, finish: str = "stop", usage: tuple[int, int] | None = None) -> Reply:
    """A whole streamed OpenAI answer as a reply."""
    return Reply(200, openai_events(*contents, finish=finish, usage=usage), "text/event-stream")


def error(status: int, message: str, param: str | None = None, **headers: str) -> Reply:
    """An error in OpenAI's shape."""
    body = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": None}}
    return Reply(status, [json.dumps(body).encode()], "application/json", headers)


def ollama_error(status: int, message: str) -> Reply:
    """An error in Ollama's shape."""
    return Reply(status, [json.dumps({"error": message}).encode()], "application/json")


def server_config(provider: str, url: str, **changes: Any) -> ServerConfig:
    """A model `m` at the address."""
    base = url if provider == "ollama" else f"{url}/v1"
    return ServerConfig(**{"name": "mine", "provider": provider, "base_url": base, "model": "m", **changes})


def request(**changes: Any) -> GenerationRequest:
    """A small request."""
    fields: dict[str, Any] = {
        "messages": ({"role": "system", "content": "S"}, {"role": "user", "content": "U"}),
        "temperature": 0.3,
        "seed": 7,
        "max_tokens": 64,
        "num_ctx": 2048,
        "keep_alive": "10m",
        "first_token_seconds": 20.0,
        "timeout_seconds": 30.0,
    }
    return GenerationRequest(**{**fields, **changes})
