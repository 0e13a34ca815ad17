"""What may leave with a request, and the means to end it from outside."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx

from tasks.models import ServerConfig

CONNECT_SECONDS = 10.0
_SENT = frozenset(["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"])
"""Client libraries add more from the environment: organisations, custom headers, keys of other services."""


class Wire:
    """One client's connections: its headers are these alone, its sockets can be shut."""

    def __init__(self, key: str | None) -> None:
        self._key = key
        self._stream: Any = None
        self.retry_after: str | None = None
        self.redirected: str | None = None

    def options(self, read_seconds: float) -> dict[str, Any]:
        """Arguments of an httpx client: no proxy, key or redirect by itself."""
        return {
            "trust_env": False,
            "follow_redirects": False,
            "timeout": httpx.Timeout(read_seconds, connect=min(read_seconds, CONNECT_SECONDS)),
            "event_hooks": {"request": [self._before], "response": [self._after]},
        }

    def abort(self) -> None:
        """Shut the connection, so that a thread that waits for it wakes up."""
        connection = self._stream.get_extra_info("socket") if self._stream is not None else None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _before(self, request: httpx.Request) -> None:
        given = request.headers.get("authorization", "")
        for name in sorted(set(request.headers) - _SENT):
            del request.headers[name]
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"
        elif request.url.userinfo and given.startswith("Basic "):
            request.headers["authorization"] = given
        request.extensions["trace"] = self._trace

    def _after(self, response: httpx.Response) -> None:
        self.retry_after = response.headers.get("retry-after")
        if response.has_redirect_location:
            self.redirected = f"it sends on to {response.headers['location']}, which is not followed: name that address"

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._stream = info["return_value"]


class Wired:
    """What every provider that asks a server holds: the server, and a wire to it."""

    def __init__(self, server: ServerConfig, key: str | None) -> None:
        self._server = server
        self._wire = Wire(key)

    def retry_after(self) -> str | None:
        return self._wire.retry_after

    def abort(self) -> None:
        self._wire.abort()
