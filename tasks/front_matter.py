"""YAML front matter: the block between `---` lines that a note may begin with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

LONGEST = 64 * 1024
"""Characters of a block that are still read as front matter."""

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values, as JSON has them, and where the text after the block begins (code points)."""

    values: dict[str, Any] = field(default_factory=dict)
    body_start: int = 0
    title: str | None = None


def read_front_matter(text: str) -> FrontMatter:
    """The front matter a text begins with; without values if there is none, or if it is no tame mapping."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None or closing.start() - opening.end() > LONGEST:
        return FrontMatter()
    from tasks.plain_yaml import load_mapping

    values = load_mapping(text[opening.end() : closing.start()])
    return FrontMatter(values, closing.end(), _title(values.get("title"))) if values else FrontMatter()


def _title(value: object) -> str | None:
    """A title that is a word or a number; blank is none."""
    is_title = isinstance(value, str | int | float) and not isinstance(value, bool)
    return (str(value).strip() or None) if is_title else None
