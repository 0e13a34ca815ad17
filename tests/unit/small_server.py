"""A server on loopback that answers each request with what a function of (path, body) returns."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """A status, a JSON value or raw bytes, and more headers."""

    status: int = 200
    value: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False


Answer = Callable[[str, dict[str, Any]], Reply]


class SmallServer(ThreadingHTTPServer):
    """Remembers (path, headers with lower-case names, body) of every request."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of every embedding request."""
        return [body["input"] for _, _, body in self.requests]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers, body))
        reply = self.server.answer(self.path, body)
        if reply.hang:
            self.server.released.wait(30)
            self.close_connection = True
            return
        raw = reply.value if isinstance(reply.value, bytes) else json.dumps(reply.value).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextmanager
def serving(answer: Answer) -> Iterator[SmallServer]:
    server = SmallServer(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
