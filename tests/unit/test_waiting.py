from __future__ import annotations

import sys
import time

import pytest

from tasks.stage import stage
from tests.unit.cli_workspace import Terminal
from wherein.cli import waiting as told
from wherein.cli.command import Call
from wherein.cli.waiting import waiting


@stage("slow")
def slow(screen: Terminal, wanted: str) -> bool:
    """Until the words are shown, or for some seconds."""
    until = time.monotonic() + 5
    while wanted not in screen.getvalue() and time.monotonic() < until:
        time.sleep(0.01)
    return True


def watched(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(told, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(told, "EACH_SECONDS", 0.01)
    return shown


def test_a_stage_is_told_by_its_name_until_the_first_word_and_then_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with waiting(Call(), slow="waiting for a\x1b[31m model") as come:
        slow(screen, "model")
        come()
        shown = screen.getvalue()
        assert "s: waiting for a␛[31m model" in shown
        assert shown.endswith(" \r")
        come()
        assert screen.getvalue() == shown, "wiped once"


def test_a_stage_without_a_name_of_its_own_is_told_as_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with waiting(Call()):
        assert slow(screen, "s: slow")
    assert "s: slow" in screen.getvalue()


@pytest.mark.parametrize("call", [Call(quiet=True), Call(as_json=True)])
def test_nothing_is_told_where_nobody_wants_to_know(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    screen = watched(monkeypatch)
    with waiting(call) as come:
        time.sleep(0.05)
        come()
    assert screen.getvalue() == ""


def test_what_comes_soon_is_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch, 60.0)
    with waiting(Call()) as come:
        come()
    assert screen.getvalue() == ""
