"""The four sentences in which an answer can fail."""

from __future__ import annotations

import os
import re

from tasks.models import ServerConfig
from tasks.providers.base import Fault, GenerationFailed, GenerationRequest

LONGEST_TEXT = 240


def explained(server: ServerConfig, fault: Fault) -> GenerationFailed:
    """What a fault means to the person who asked."""
    if fault.status == 0:
        return GenerationFailed(
            "unreachable",
            f"No model server answers at {address(server)} ({said(server, fault.text)}): start it, "
            "or set synthesis.model to another model.",
        )
    if fault.status == 404 and _is_about_the_model(server, fault):
        return GenerationFailed("model-missing", _missing(server))
    status = f" (HTTP {fault.status})" if fault.status > 0 else ""
    return GenerationFailed(
        "server-error",
        f"The model server at {address(server)} failed{status}: {said(server, fault.text)}{_key_hint(server, fault)}",
    )


def too_late(server: ServerConfig, request: GenerationRequest, setting: str) -> GenerationFailed:
    """The limit that was passed, and its setting."""
    seconds = getattr(request, setting)
    what = "sent no first token" if setting == "first_token_seconds" else "did not finish its answer"
    return GenerationFailed(
        "time-out",
        f"The model {server.model} at {address(server)} {what} within {seconds:g} s: "
        f"raise synthesis.{setting}, or use a smaller model.",
    )


def address(server: ServerConfig) -> str:
    """The server's address without a user name and password."""
    return re.sub(r"(?<=//)[^/@]*@", "", server.base_url)


def said(server: ServerConfig, text: str) -> str:
    """A server's own words on one line, shortened, and never with the key."""
    key = os.environ.get(server.api_key_env or "")
    shown = re.sub(r"^\[Errno -?\d+\] ", "", " ".join(text.split()))
    if key:
        shown = shown.replace(key, "***")
    return shown if len(shown) <= LONGEST_TEXT else shown[:LONGEST_TEXT].rstrip() + " …"


def _is_about_the_model(server: ServerConfig, fault: Fault) -> bool:
    return "model" in fault.text.lower() or server.model in fault.text


def _missing(server: ServerConfig) -> str:
    if server.provider == "ollama":
        return (
            f"The Ollama server at {address(server)} has no model {server.model}: "
            f"fetch it with `ollama pull {server.model}`."
        )
    return (
        f"The server at {address(server)} has no model {server.model}: "
        f"name one it serves, for {server.name} in the settings."
    )


def _key_hint(server: ServerConfig, fault: Fault) -> str:
    if fault.status not in (401, 403):
        return ""
    if server.api_key_env:
        return f" (its key is read from the environment variable {server.api_key_env})"
    return f" (name the variable that holds its key as api_key_env of {server.name})"
