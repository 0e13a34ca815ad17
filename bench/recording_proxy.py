"""A proxy on loopback that hands requests on as they are, and keeps their bodies."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_PIECE_BYTES = 65536
_ANSWER_SECONDS = 900.0
_HOP_BY_HOP = frozenset({"connection", "host", "keep-alive", "transfer-encoding"})


class RecordingProxy(ThreadingHTTPServer):
    """In front of one server; `bodies` are the JSON documents posted through it, in order of arrival."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target)
        self.bodies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """The target's address, with this proxy's port in it."""
        return f"http://127.0.0.1:{self.server_address[1]}{self.target.path}"


class _Handler(BaseHTTPRequestHandler):
    server: RecordingProxy

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    def do_GET(self) -> None:
        self._hand_on(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(json.loads(body))
        self._hand_on(body)

    def _hand_on(self, body: bytes) -> None:
        target = self.server.target
        onward = http.client.HTTPConnection(str(target.hostname), target.port, timeout=_ANSWER_SECONDS)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        onward.request(self.command, self.path, body or None, headers)
        answer = onward.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.end_headers()
        while piece := answer.read1(_PIECE_BYTES):
            self.wfile.write(piece)
            self.wfile.flush()
        onward.close()


@contextmanager
def recording(target: str) -> Iterator[RecordingProxy]:
    """The proxy, running."""
    proxy = RecordingProxy(target)
    threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
