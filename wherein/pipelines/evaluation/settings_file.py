"""Change settings in `wherein.toml`; its comments and its order stay."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store import disk, lock
from wherein.schema import Settings


def changed(file: Path, changes: Sequence[tuple[str, str]]) -> str:
    """The text of the file with (SECTION.KEY, value) pairs set."""
    import tomlkit

    document = tomlkit.parse(file.read_text(encoding="utf-8-sig"))
    for key, value in changes:
        section, _, name = key.partition(".")
        if section not in document:
            document[section] = tomlkit.table()
        table: Any = document[section]
        table[name] = _value(value)
    return tomlkit.dumps(document)


def write(file: Path, changes: Sequence[tuple[str, str]]) -> None:
    """Write the changed file in the place of the old one, whole or not at all."""
    with lock.rewriting(file.parent):
        text = changed(file, changes)
        Settings.model_validate(tomllib.loads(text), strict=True)
        disk.write_file(file, [text.encode("utf-8")])


def _value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
