"""Hits for tests of what comes after retrieval."""

from __future__ import annotations

from store.records import Hit, Ranks, Scores


def hit(text: str, path: str = "a.md", *, rank: int = 1, line: int = 1, date: str | None = None) -> Hit:
    """A hit whose passage begins on `line`."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    return Hit(rank, "notes", path, date, None, line, line + lines, 0, len(text), text, Scores(), Ranks())


def hits(*texts: str) -> list[Hit]:
    """One hit a text, each in a file of its own: p1.md, p2.md, …"""
    return [hit(text, f"p{rank}.md", rank=rank) for rank, text in enumerate(texts, start=1)]
