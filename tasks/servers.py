"""Connections to model servers: what is sent is what is needed, and nothing of the environment."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from store.errors import usage
from tasks.models import ServerConfig

CONNECT_SECONDS = 10.0
_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding"}
)


def is_loopback(url: str) -> bool:
    """True for this machine's own addresses, which no proxy may stand before."""
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def check_address(setting: str, url: str) -> None:
    """Raises WhereinError unless `url` is an address that can be called."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise usage(f"Setting {setting} is {url!r}; give an address such as http://127.0.0.1:8080/v1.")


def api_key(server: ServerConfig) -> str | None:
    """The key in the variable that the settings name. Raises WhereinError where none is set but one is needed."""
    key = os.environ.get(server.api_key_env, "").strip() if server.api_key_env else ""
    if key or server.provider != "openai":
        return key or None
    raise usage(
        f"The model {server.name!r} needs a key: put it into the environment variable"
        f" {server.api_key_env or 'that models.' + server.name + '.api_key_env names'}.",
        kind="key",
    )


def named_key(setting: str, variable: str | None) -> str | None:
    """The key in a variable that a setting names, None if it names none. Raises WhereinError where it holds no key."""
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if key and key.isascii() and key.isprintable():
        return key
    held = "something that cannot be sent as a key" if key else "no key"
    raise usage(f"Setting {setting} is {variable!r}, but that environment variable holds {held}: set it.", kind="key")


def only_ours(key: str | None) -> Callable[[Any], None]:
    """A request hook for httpx that drops every header a library added of its own or from the environment."""

    def trim(request: Any) -> None:
        for name in [name for name in request.headers if name.lower() not in _HEADERS]:
            del request.headers[name]
        request.headers["user-agent"] = "wherein"
        if key is not None:
            request.headers["authorization"] = f"Bearer {key}"

    return trim


def client_options(url: str, key: str | None, timeout_seconds: float) -> dict[str, Any]:
    """Keyword arguments of an `httpx.Client`, of httpx and of its successor alike, less the time-outs' type."""
    return {
        "trust_env": not is_loopback(url),
        "follow_redirects": False,
        "event_hooks": {"request": [only_ours(key)]},
        "timeout": (min(CONNECT_SECONDS, timeout_seconds), timeout_seconds, timeout_seconds, CONNECT_SECONDS),
    }
