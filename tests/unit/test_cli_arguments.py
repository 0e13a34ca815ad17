"""Options before the command, and text for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherein.cli.arguments import asked_for, behind_command
from wherein.cli.plain import one_line, visible
from wherein.cli.times import age, counted, size


@pytest.mark.parametrize(
    ("given_", "moved"),
    [
        ([], []),
        (["status"], ["status"]),
        (["--json", "status"], ["status", "--json"]),
        (["--json", "-q", "search", "x", "-k", "3"], ["search", "x", "-k", "3", "--json", "-q"]),
        (["--workspace", "d", "--set", "a.b=1", "status"], ["status", "--workspace", "d", "--set", "a.b=1"]),
        (["--workspace=d", "status"], ["status", "--workspace=d"]),
        (["--json", "search", "--", "-x"], ["search", "--json", "--", "-x"]),
        (["search", "--json", "x"], ["search", "--json", "x"]),
        (["--json"], ["--json"]),
        (["--workspace"], ["--workspace"]),
        (["--version"], ["--version"]),
    ],
)
def test_shared_options_before_the_command_move_behind_it(given_: list[str], moved: list[str]) -> None:
    assert behind_command(given_) == moved


@given(st.lists(st.sampled_from(["--json", "-q", "--set", "a.b=1", "search", "x", "--", "-k", "2"])))
def test_moving_loses_and_adds_nothing(arguments: list[str]) -> None:
    assert sorted(behind_command(arguments)) == sorted(arguments)


def test_a_flag_behind_a_double_dash_is_text() -> None:
    assert asked_for("--json", ["search", "--json", "--", "x"])
    assert not asked_for("--json", ["search", "--", "--json"])


@given(st.text())
def test_no_text_makes_a_terminal_do_anything(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if c not in "\n\t" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0)]
    assert "\n" not in one_line(text)


def test_escapes_and_turned_writing_are_made_visible() -> None:
    assert visible("a\x1b[2Jb\x9bc\u202ed\rs\r\nt") == "a␛[2Jb\ufffdc\ufffdd␍s\nt"
    assert one_line("a\nb\tc") == "a b c"
    assert visible("café 👩‍👩‍👧 שלום\tx\n") == "café 👩‍👩‍👧 שלום\tx\n"


@pytest.mark.parametrize(
    ("value", "said"), [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7200, "2 hours ago")]
)
def test_ages_are_rounded_down(value: float, said: str) -> None:
    assert age(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_500_000, "1.5 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes_are_in_powers_of_ten(value: int, said: str) -> None:
    assert size(value) == said


def test_one_is_singular() -> None:
    assert (counted(0, "file"), counted(1, "file"), counted(2000, "file")) == ("0 files", "1 file", "2,000 files")
