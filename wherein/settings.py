"""Read the settings: `wherein.toml`, then the environment, then the call's own."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from store.errors import WhereinError, usage
from wherein.schema import Settings

FILE = "wherein.toml"
_PREFIX = "WHEREIN_"
Tree = dict[str, Any]


def load(file: Path, environment: Mapping[str, str] = os.environ, overrides: Sequence[str] = ()) -> Settings:
    """The settings in force; raises WhereinError (exit 2) naming the key, the value and what is allowed."""
    written = _read(file)
    _validate(written, {}, file, strict=True)
    layers = [written, _from_environment(environment), _from_flags(overrides)]
    merged: Tree = {}
    for layer in layers:
        _merge(merged, layer)
    origin = {**_keys(layers[1], "the environment"), **_keys(layers[2], "--set")}
    return _validate(merged, origin, file)


def _read(file: Path) -> Tree:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise usage(f"{file} is not valid TOML: {error}.") from error
    except UnicodeDecodeError as error:
        raise usage(f"{file} is not valid TOML: it is not UTF-8 text.") from error
    except RecursionError:
        raise usage(f"{file} is nested too deeply to be read: make it simpler.") from None
    except OSError as error:
        raise usage(f"Cannot read {file}: {error.strerror}.") from error


def _from_environment(environment: Mapping[str, str]) -> Tree:
    """WHEREIN_SECTION__KEY=value; names are matched without case, others are left alone."""
    tree: Tree = {}
    for name in sorted(environment):
        if name.upper().startswith(_PREFIX) and "__" in name:
            _put(tree, name[len(_PREFIX) :].lower().split("__"), environment[name])
    return tree


def _from_flags(overrides: Sequence[str]) -> Tree:
    tree: Tree = {}
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise usage(f"--set {text!r} is not SECTION.KEY=VALUE, such as retrieval.k=10.", kind="usage")
        _put(tree, key.strip().split("."), value.strip())
    return tree


def _put(tree: Tree, path: Sequence[str], text: str) -> None:
    for part in path[:-1]:
        inner = tree.setdefault(part, {})
        if not isinstance(inner, dict):
            raise usage(f"Setting {'.'.join(path)} = {text!r} is not possible: {part} holds a value, not settings.")
        tree = inner
    tree[path[-1]] = _literal(text)


def _literal(text: str) -> Any:
    """Lists, tables and quoted strings as TOML; anything else stays text, to be read by its key's type."""
    if text[:1] in ("[", "{", '"'):
        try:
            return tomllib.loads(f"value = {text}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            return text
    return text


def _merge(into: Tree, layer: Tree) -> None:
    for key, value in layer.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, dict) else value


def _keys(tree: Tree, origin: str, prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in tree.items():
        found |= _keys(value, origin, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": origin}
    return found


def _validate(tree: Tree, origin: Mapping[str, str], file: Path, strict: bool = False) -> Settings:
    try:
        return Settings.model_validate(tree, strict=strict)
    except ValidationError as error:
        raise _explain(error, origin, file) from None


def _explain(error: ValidationError, origin: Mapping[str, str], file: Path) -> WhereinError:
    first = error.errors(include_url=False)[0]
    parts = [str(p) for p in first["loc"]]
    key = ".".join(parts)
    where = next((at for name, at in origin.items() if name == key or name.startswith(f"{key}.")), str(file))
    if first["type"] == "extra_forbidden":
        return usage(f"Unknown setting {key} = {first['input']!r} in {where}: {_allowed(parts[:-1])}.")
    if first["type"] == "missing":
        return usage(f"Setting {key} is missing in {where}.")
    message = str(first["msg"]).removeprefix("Value error, ")
    value = f" = {first['input']!r}" if not isinstance(first["input"], dict) else ""
    return usage(f"Setting {key}{value} in {where} is not allowed: {message[:1].lower()}{message[1:]}.")


def _allowed(parents: Sequence[str]) -> str:
    """The keys that a section takes."""
    model: Any = Settings
    for part in parents:
        field = getattr(model, "model_fields", {}).get(part)
        annotation = getattr(field, "annotation", None)
        arguments = getattr(annotation, "__args__", None)
        model = arguments[1] if field is None and arguments else (annotation or model)
        if getattr(model, "__origin__", None) is dict:
            model = model.__args__[1]
    names = sorted(getattr(model, "model_fields", {}))
    return "known keys here are " + ", ".join(names) if names else "see the settings in the README"
