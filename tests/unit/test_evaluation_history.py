from __future__ import annotations

import errno
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from store import disk
from store.errors import WhereinError
from tests.unit.evaluation_report import report
from wherein.pipelines.evaluation.gate import gate
from wherein.pipelines.evaluation.history import FILE, History, entry, moved, settings_digest

SETTINGS = {"retrieval.k": 15}


def evaluated(less: float = 0.0, day: int = 1, questions: int = 42) -> dict[str, Any]:
    """A report whose every measure of the base is `less` lower on each question that found something."""
    document = report(questions)
    document["created_at"] = f"2026-01-{day:02}T00:00:00+00:00"
    for row in document["rows"]:
        for measure in ("nDCG@10", "R@15", "RR@10"):
            if row["arm"] == "current" and row.get(measure):
                row[measure] -= less
    return document


def kept(folder: Path, document: dict[str, Any], *, regressed: bool = False) -> History:
    """The history with one more evaluation, whose rows lie beside it."""
    path, out = folder / FILE, folder / document["created_at"][:10]
    out.mkdir(exist_ok=True)
    rows = "".join(f"{json.dumps(row)}\n" for row in document["rows"])
    (out / "rows.jsonl").write_text(rows, encoding="utf-8")
    return History.read(path).appended(entry(document, out, path, SETTINGS, regressed=regressed))


def test_a_history_is_read_as_it_was_appended(tmp_path: Path) -> None:
    assert History.read(tmp_path / FILE).entries == ()
    first = kept(tmp_path, evaluated(day=1))
    both = kept(tmp_path, evaluated(day=2))
    assert History.read(tmp_path / FILE) == both
    assert both.entries[:1] == first.entries
    assert both.entries[1]["folder"] == "2026-01-02"


def test_evaluations_that_end_at_the_same_instant_all_leave_a_line(tmp_path: Path) -> None:
    empty, told = History.read(tmp_path / FILE), evaluated()
    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            pool.submit(empty.appended, {**entry(told, tmp_path, tmp_path / FILE, SETTINGS), "chunks": number})
    assert sorted(one["chunks"] for one in History.read(tmp_path / FILE).entries) == list(range(40))
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_equal_settings_have_one_digest() -> None:
    assert settings_digest({"a": 1, "b": 2}) == settings_digest({"b": 2, "a": 1})
    assert settings_digest({"a": 1}) != settings_digest({"a": 2})


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"golden": 3}'])
def test_a_line_that_is_no_evaluation_is_named(tmp_path: Path, line: str) -> None:
    kept(tmp_path, evaluated())
    with (tmp_path / FILE).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with pytest.raises(WhereinError, match=r"Line 2 of .*history\.jsonl"):
        History.read(tmp_path / FILE)


def test_a_change_stands_with_its_interval_and_the_word_for_it(tmp_path: Path) -> None:
    kept(tmp_path, evaluated(day=1))
    history = kept(tmp_path, evaluated(less=0.3, day=2))
    first, second = moved(history, "nDCG@10")
    assert first.change is None
    assert second.change is not None
    assert (second.change.verdict, second.arm, second.generations) == ("worse", "current", "journal 3, notes 12")
    assert second.change.mean < -0.15
    assert len(moved(history, "nDCG@10", arm="vector")) == 2
    assert moved(history, "nDCG@10", arm="nowhere") == []


def test_without_the_rows_a_change_is_not_told(tmp_path: Path) -> None:
    kept(tmp_path, evaluated(day=1))
    history = kept(tmp_path, evaluated(less=0.3, day=2))
    (tmp_path / "2026-01-01" / "rows.jsonl").unlink()
    assert [one.change for one in moved(history, "nDCG@10")] == [None, None]


def test_the_gate_names_what_fell_and_keeps_silent_on_the_same(tmp_path: Path) -> None:
    history = kept(tmp_path, evaluated(day=1))
    assert gate(evaluated(day=2), history) == []
    told = gate(evaluated(less=0.3, day=2), history)
    assert [sentence.split()[0] for sentence in told] == ["nDCG@10", "R@15", "RR@10"]
    assert "over 42 questions since 2026-01-01" in told[0]


def test_the_gate_keeps_silent_on_a_gain_and_on_too_few_questions(tmp_path: Path) -> None:
    assert gate(evaluated(less=-0.3, day=2), kept(tmp_path, evaluated(day=1))) == []
    few = tmp_path / "few"
    few.mkdir()
    assert gate(evaluated(less=0.5, day=2, questions=5), kept(few, evaluated(day=1, questions=5))) == []


def test_a_regression_does_not_become_what_the_next_is_compared_with(tmp_path: Path) -> None:
    kept(tmp_path, evaluated(day=1))
    history = kept(tmp_path, evaluated(less=0.3, day=2), regressed=True)
    assert gate(evaluated(less=0.3, day=3), history)
    accepted = kept(tmp_path, evaluated(less=0.3, day=4))
    assert gate(evaluated(less=0.3, day=5), accepted) == []


def test_the_gate_refuses_to_judge_without_anything_to_judge_by(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match="no earlier evaluation"):
        gate(evaluated(), History.read(tmp_path / FILE))
    history = kept(tmp_path, evaluated(day=1))
    other = evaluated(day=2)
    other["golden"]["digest"] = "0" * 64
    with pytest.raises(WhereinError, match="no earlier evaluation"):
        gate(other, history)
    with pytest.raises(WhereinError, match="of other questions"):
        gate(evaluated(day=2, questions=41), history)
    (tmp_path / "2026-01-01" / "rows.jsonl").unlink()
    with pytest.raises(WhereinError, match="are gone"):
        gate(evaluated(day=2), history)


def test_rows_that_another_evaluation_wrote_over_are_not_taken_for_the_earlier_ones(tmp_path: Path) -> None:
    kept(tmp_path, evaluated(day=1))
    history = kept(tmp_path, evaluated(less=0.3, day=1), regressed=True)
    with pytest.raises(WhereinError, match="gone or written over"):
        gate(evaluated(less=0.3, day=2), history)
    assert [one.change for one in moved(history, "nDCG@10")] == [None, None]


def test_a_disk_that_fills_up_leaves_the_history_as_it_was_and_no_half_file(tmp_path: Path) -> None:
    history = kept(tmp_path, evaluated())

    def full(step: str) -> None:
        if step == "after write":
            raise OSError(errno.ENOSPC, "No space left on device")

    disk.inject(full)
    try:
        with pytest.raises(WhereinError, match="No space left"):
            history.appended(history.entries[0])
    finally:
        disk.inject(None)
    assert History.read(tmp_path / FILE) == history
    assert not list(tmp_path.glob("*.part"))
