"""Writing settings as TOML."""

from __future__ import annotations

import json
import re
from typing import Any


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def dumps(table: dict[str, Any], prefix: str = "") -> str:
    """Nested dictionaries as TOML tables; a value of None leaves its key out."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict) and value is not None}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    head = [f"[{prefix}]"] if prefix and (lines or not table) else []
    text = "\n".join(head + lines) + "\n"
    for key, value in table.items():
        if isinstance(value, dict):
            text += dumps(value, f"{prefix}.{_key(key)}" if prefix else _key(key))
    return text


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The base with nested changes applied."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
