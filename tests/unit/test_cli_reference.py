"""The written reference says what the program says."""

from __future__ import annotations

from pathlib import Path

from wherein.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_is_what_the_commands_say_of_themselves() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "python -m wherein.cli.reference > docs/cli.md"


def test_every_command_has_a_section() -> None:
    text = reference()
    for name in ("init", "ingest", "search", "ask", "compare", "status", "files", "show", "keywords", "models pull"):
        assert f"## wherein {name}\n" in text
