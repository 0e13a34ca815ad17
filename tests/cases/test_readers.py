"""Readers beside a writer, each in a process of its own."""

from __future__ import annotations

from pathlib import Path

from bench.readers import run


def test_every_answer_beside_a_writer_is_of_one_generation(tmp_path: Path) -> None:
    outcome = run(tmp_path, 2.0, ("writer",))
    assert outcome.violations == []
    assert outcome.generations > 1
    assert len(outcome.seconds["writer"]) > 10
