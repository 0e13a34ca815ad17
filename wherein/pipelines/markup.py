"""Pieces of a page: text as text, lines, notes and tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def safe(text: str) -> str:
    """Text as text; characters that a page may not hold are replaced."""
    return html.escape(_CONTROL.sub("\ufffd", text))


def lines(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part)


def quiet(text: str) -> str:
    return f'<p class="quiet">{safe(text)}</p>'


def notes(told: Sequence[str]) -> str:
    if not told:
        return ""
    return f"<h3>Notes</h3>\n{listed(told)}"


def listed(items: Iterable[str]) -> str:
    return f"<ul>\n{lines(f'<li>{safe(item)}</li>' for item in items)}\n</ul>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Cells are markup; the first of a row names it."""
    named = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = lines(_row(row) for row in rows)
    given = f' class="{kind}"' if kind else ""
    table = f"<table{given}>\n<thead><tr>{named}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _row(cells: Sequence[str]) -> str:
    return f'<tr><th scope="row">{cells[0]}</th>{"".join(f"<td>{cell}</td>" for cell in cells[1:])}</tr>'
