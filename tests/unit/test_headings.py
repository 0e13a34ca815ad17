"""Markdown headings: which lines are headings, and the path at a place."""

from __future__ import annotations

import pytest

from tasks.headings import Headings


def path_at_end(text: str) -> str | None:
    return Headings(text, 0).at(len(text))


def test_text_without_headings_has_no_path() -> None:
    assert path_at_end("") is None
    assert path_at_end("Only a line.\n\nAnother.") is None


def test_a_heading_holds_from_its_own_start_to_the_next() -> None:
    text = "Before.\n# One\ntext\n# Two\ntext"
    headings = Headings(text, 0)
    assert headings.at(text.index("# One") - 1) is None
    assert headings.at(text.index("# One")) == "One"
    assert headings.at(text.index("# Two") - 1) == "One"
    assert headings.at(len(text)) == "Two"


def test_headings_before_the_start_do_not_count() -> None:
    assert Headings("# Title in front matter\nbody", 24).at(27) is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("# A\n## B\n### C\n", "A > B > C"),
        ("# A\n### C\n## B\n", "A > B"),
        ("## B\n# A\n", "A"),
        ("# A\n## B\n## B\n", "A > B"),
        ("# A\r\n## B\r\ntext", "A > B"),
        ("# A\r## B\rtext", "A > B"),
        ("# A\n##\ntext", "A"),
        ("#\ntext", None),
    ],
)
def test_levels_nest(text: str, path: str | None) -> None:
    assert path_at_end(text) == path


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Plain", "Plain"),
        ("   ###### Deep ", "Deep"),
        ("#\tTab", "Tab"),
        ("# Closed ##  ", "Closed"),
        ("# C#", "C#"),
        ("## ##", None),
        ("#hashtag", None),
        ("####### seven", None),
        ("    # indented code", None),
        ("\\# escaped", None),
        ("# Größe 漢字 🚲", "Größe 漢字 🚲"),
        ("# " + " " * 50_000 + "#x", "#x"),
    ],
)
def test_atx_headings(line: str, title: str | None) -> None:
    assert path_at_end(line + "\ntext") == title


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Title\n=====\ntext", "Title"),
        ("Title\n---\ntext", "Title"),
        ("Top\n=\nSub\n-\ntext", "Top > Sub"),
        ("two\nlines\n---\n", "two lines"),
        ("text\n\n---\n\ntext", None),
        ("---\ntext", None),
        ("- item\n---\n", None),
        ("1. item\nmore of it\n---\n", None),
        ("> quoted\n---\n", None),
        ("| a | b |\n|---|---|\n", None),
        ("    code\n---\n", None),
        ("# A\n---\n", "A"),
        ("text\n--- ---\n", None),
    ],
)
def test_setext_headings(text: str, path: str | None) -> None:
    assert path_at_end(text) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("# A\n```\n# comment\n```\ntext", "A"),
        ("# A\n~~~ sh\n# comment\nx\n---\n~~~\n## B\n", "A > B"),
        ("````\n```\n# comment\n````\n# A\n", "A"),
        ("```\n# never closed", None),
        ("``` not a ` fence\n# A", "A"),
        ("```\n~~~\n# comment\n```\n# A", "A"),
        ("```\n```x\n# comment\n```\n# A", "A"),
    ],
)
def test_fenced_code_has_no_headings(text: str, path: str | None) -> None:
    assert path_at_end(text) == path


def test_a_long_paragraph_is_read_once() -> None:
    assert path_at_end("line\n" * 100_000 + "\n# A\n") == "A"
