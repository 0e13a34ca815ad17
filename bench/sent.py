"""What differs between requests that are said to ask the same."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Body = Mapping[str, Any]


def checked(bodies: Sequence[Body], questions: int, answers: int) -> dict[str, Any]:
    """`identical_messages`: as many different messages as questions, each sent for as many answers.

    `fields`: everything else of the requests, by protocol, with all values it had.
    """
    counts = Counter(digest(body) for body in bodies)
    fields: dict[str, dict[str, list[Any]]] = {}
    for body in bodies:
        for name, value in _leaves({key: value for key, value in body.items() if key != "messages"}):
            seen = fields.setdefault(protocol(body), {}).setdefault(name, [])
            if value not in seen:
                seen.append(value)
    return {
        "requests": len(bodies),
        "identical_messages": sorted(counts.values()) == [answers] * questions,
        "messages_sha256": dict(counts),
        "fields": fields,
    }


def digest(body: Body) -> str:
    """sha256 (hex) of the messages: their roles and the UTF-8 bytes of their contents, in order."""
    messages = [[message["role"], message["content"]] for message in body["messages"]]
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()


def protocol(body: Body) -> str:
    return "ollama" if "options" in body else "openai"


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value
