"""A follow-up condensed by a real small model: one line comes back, or the question stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.models import ServerConfig
from wherein.pipelines import follow_up
from wherein.pipelines.follow_up import Turn, condense
from wherein.pipelines.synthesis import Model
from wherein.workspace import Workspace

pytest_plugins = ["tests.support.servers"]
pytestmark = pytest.mark.slow


def test_a_real_model_writes_one_line_for_a_follow_up(
    llama_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wherein.toml").write_text("[synthesis]\ntemperature = 0.0\n", encoding="utf-8")
    monkeypatch.setattr(follow_up, "_TOKENS", 24)
    model = Model("local", ServerConfig("local", "openai-compatible", llama_url, "smollm2"), 8192)
    turns = [Turn("Who bought the blue boat in May 1911?", "Anna bought it for ninety pounds [1].")]
    found = condense(Workspace.find(tmp_path), model, turns, "And the year after?")
    assert found.failure is None or "wrote no question" in found.failure
    assert found.failure is None or found.question == "And the year after?"
    assert found.question
    assert "\n" not in found.question
