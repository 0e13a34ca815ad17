"""`wherein evaluate` and `wherein tune`, over a small index of the bundled models."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluation import trec
from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_files import write
from tests.unit.cli_workspace import Place
from wherein.pipelines import calibration
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.query import search
from wherein.workspace import Workspace

THINGS = (
    *("anvil", "boat", "candle", "drum", "easel", "fiddle", "gate", "hammer", "inkwell", "jug", "kettle", "lamp"),
    *("mirror", "needle", "oar", "piano", "quilt", "ring", "saddle", "table", "urn", "violin", "wheel", "yoke"),
)
ARMS = ("--arm", "words:mode=keyword", "--arm", "meaning:mode=vector,rerank=off")
SETTINGS = """# mine
[collections.notes]
path = "notes"

[retrieval]
k = 5   # enough
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed workspace with golden questions, made once."""
    from wherein import api

    folder = tmp_path_factory.mktemp("evaluating")
    (folder / "notes").mkdir()
    for number, thing in enumerate(THINGS):
        text = f"The {thing} was mended in the year {1700 + number} by the smith of the valley."
        (folder / "notes" / f"{thing}.md").write_text(text, encoding="utf-8")
    (folder / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    asked = [Question(t, f"When was the {t} mended?", (Relevant(f"{t}.md"),), kind="fact") for t in THINGS]
    write(folder / "golden.jsonl", [*asked, Question("no", "Who plays chess?", answerable=False)])
    api.ingest(workspace=Workspace.find(folder))
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    monkeypatch.chdir(made)
    return Place(made, capsys)


def evaluated(here: Place, out: str, *more: str) -> dict[str, Any]:
    ended = here.run("evaluate", "--golden", "golden.jsonl", "--json", "--out", out, *ARMS, *more)
    assert ended.code == 0, ended.err
    report: dict[str, Any] = ended.json
    return report


def test_the_report_holds_a_row_for_every_question_and_arm_and_files_for_others_to_check(here: Place) -> None:
    report = evaluated(here, "first")
    rows = [json.loads(line) for line in (here.folder / "first" / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 3 * (len(THINGS) + 1)
    assert [arm["name"] for arm in report["arms"]] == ["current", "words", "meaning"]
    assert json.loads((here.folder / "first" / "report.json").read_text()) == report
    assert "<script" not in (here.folder / "first" / "report.html").read_text()
    qrels = trec.read_qrels(here.folder / "first" / "qrels.txt")
    assert qrels["oar"] == {"notes/oar.md": 1}
    assert trec.read_run(here.folder / "first" / "run.words.txt")["oar"][0] == "notes/oar.md"


def test_others_find_the_same_measures_in_the_files(here: Place) -> None:
    import ir_measures

    report = evaluated(here, "checked")
    measures = [ir_measures.parse_measure(name) for name in ("nDCG@10", "RR@10")]
    for arm in report["arms"]:
        found = ir_measures.calc_aggregate(
            measures,
            ir_measures.read_trec_qrels(str(here.folder / "checked" / "qrels.txt")),
            ir_measures.read_trec_run(str(here.folder / "checked" / f"run.{arm['name']}.txt")),
        )
        told = {str(measure): value for measure, value in found.items()}
        assert told == {name: pytest.approx(arm["means"][name], abs=1e-9) for name in told}


def test_the_history_tells_how_quality_moved(here: Place) -> None:
    evaluated(here, "then")
    evaluated(here, "now")
    ended = here.run("evaluate", "--history", "--json")
    assert ended.json[-1]["change"]["mean"] == 0.0
    assert "nDCG@10" in here.run("evaluate", "--history").out


def test_a_gate_stops_settings_that_do_worse(here: Place) -> None:
    evaluated(here, "good")
    spoiled = ("--set", "retrieval.prose=keyword", "--set", "rerank.enabled=false", "--set", "retrieval.floor=1")
    ended = here.run("evaluate", "--golden", "golden.jsonl", *ARMS, "--gate", *spoiled, "--out", "bad")
    assert ended.code in (0, 6)
    assert (ended.code == 6) == ("the gate is not passed" in ended.err)


def test_a_gate_without_a_past_says_so(here: Place) -> None:
    write(here.folder / "other.jsonl", [Question("oar", "Where is the oar?", (Relevant("oar.md"),))])
    ended = here.run("evaluate", "--golden", "other.jsonl", *ARMS, "--gate")
    assert (ended.code, "no earlier evaluation" in ended.err) == (2, True)


def test_golden_questions_must_be_named(here: Place) -> None:
    for command in ("evaluate", "tune"):
        ended = here.run(command)
        assert (ended.code, "--golden" in ended.err) == (2, True)


def test_thresholds_that_cannot_be_fitted_are_not_written(here: Place) -> None:
    ended = here.run("evaluate", "--golden", "golden.jsonl", "--apply", *ARMS)
    assert (ended.code, "No threshold can be fitted" in ended.err) == (2, True)
    assert not (here.folder / calibration.FILE).exists()


def test_fitted_thresholds_of_another_model_are_void_and_said_so(here: Place) -> None:
    workspace = Workspace.find(here.folder)
    entry = {"signal": "rerank", "model": "another", "collections": ["notes"], "weak": 99.0, "none": 98.0}
    calibration.keep(workspace, entry)
    try:
        found = search(workspace, "When was the oar mended?")
        assert found.confidence == "strong"
        assert any("for another model" in note for note in found.notes)
    finally:
        (here.folder / calibration.FILE).unlink()


def test_without_a_fit_what_has_nothing_to_do_with_the_files_is_weak_but_never_refused(here: Place) -> None:
    workspace = Workspace.find(here.folder)
    found = search(workspace, "How does photosynthesis store energy?")
    assert (found.confidence, found.signal.none) == ("weak", None)
    assert found.hits
    assert search(workspace, "When was the oar mended?").confidence == "strong"
    plain = search(workspace, "How does photosynthesis store energy?", QueryOptions(rerank=False))
    assert (plain.confidence, plain.signal.weak) == ("strong", None)


def test_fitted_thresholds_hold_for_their_collections(here: Place) -> None:
    workspace = Workspace.find(here.folder)
    from wherein.pipelines import models

    digest = calibration.rerank_digest(models.rerank(workspace))
    entry = {"signal": "rerank", "model": digest, "collections": ["notes"], "weak": 99.0, "none": 98.0}
    try:
        calibration.keep(workspace, entry)
        assert search(workspace, "When was the oar mended?").confidence == "none"
        calibration.keep(workspace, {**entry, "none": -99.0})
        assert search(workspace, "When was the oar mended?").confidence == "weak"
        assert len(json.loads((here.folder / calibration.FILE).read_text())["thresholds"]) == 1
    finally:
        (here.folder / calibration.FILE).unlink()


def test_tuning_keeps_the_settings_where_nothing_is_better(here: Place) -> None:
    ended = here.run("tune", "--golden", "golden.jsonl", "--apply", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["applied"] is ended.json["adopted"]
    assert (here.folder / "wherein.toml").read_text() == SETTINGS or ended.json["adopted"]
    assert (Path(ended.json["folder"]) / "tune.json").exists()


def test_too_few_questions_are_not_tuned_on(here: Place) -> None:
    write(here.folder / "few.jsonl", [Question("oar", "Where is the oar?", (Relevant("oar.md"),))])
    ended = here.run("tune", "--golden", "few.jsonl")
    assert (ended.code, "too few to tune on" in ended.err) == (2, True)


def test_a_changed_setting_leaves_comments_and_order_as_they_are(tmp_path: Path) -> None:
    from wherein.pipelines.evaluation import settings_file

    file = tmp_path / "wherein.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    settings_file.write(file, (("retrieval.k", "7"), ("rerank.weight", "0.8"), ("rerank.enabled", "true")))
    text = file.read_text(encoding="utf-8")
    assert text.startswith(SETTINGS.replace("k = 5 ", "k = 7 "))
    assert tomllib.loads(text)["rerank"] == {"weight": 0.8, "enabled": True}


def test_a_program_evaluates_as_the_command_does(here: Place) -> None:
    import wherein

    done = wherein.evaluate("golden.jsonl", ["words:mode=keyword"], Workspace.find(here.folder), limit=5)
    assert [len(one.rows) for one in done.measured] == [5, 5]


@pytest.mark.parametrize(
    ("out", "said"),
    [("wherein.toml", "is no folder"), ("wherein.toml/below", "is no folder"), ("x" * 300, "File name too long")],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_work(here: Place, out: str, said: str) -> None:
    for command in ("evaluate", "tune"):
        ended = here.run(command, "--golden", "golden.jsonl", "--out", out)
        assert (ended.code, said in ended.err) == (2, True)


def test_a_broken_history_is_named_before_the_work(here: Place) -> None:
    history = here.folder / "results" / "evaluate" / "history.jsonl"
    kept = history.read_bytes() if history.exists() else b""
    history.parent.mkdir(parents=True, exist_ok=True)
    history.write_bytes(kept + b"{")
    ended = here.run("evaluate", "--golden", "golden.jsonl", "--out", "never", *ARMS)
    history.write_bytes(kept)
    assert (ended.code, "remove the line" in ended.err) == (2, True)
    assert not (here.folder / "never").exists()


def test_a_folder_that_is_written_again_keeps_no_ranking_of_other_arms(here: Place) -> None:
    evaluated(here, "again")
    here.run("evaluate", "--golden", "golden.jsonl", "--out", "again", "--arm", "other:mode=keyword")
    assert sorted(file.name for file in (here.folder / "again").glob("run.*")) == ["run.current.txt", "run.other.txt"]


def test_an_arm_sets_nothing_twice(here: Place) -> None:
    ended = here.run("evaluate", "--golden", "golden.jsonl", "--arm", "x:mode=keyword,mode=vector")
    assert (ended.code, "sets mode twice" in ended.err) == (2, True)


def test_questions_that_are_asked_twice_are_told(here: Place) -> None:
    asked = enumerate(("When was the  OAR mended?", "when was the oar mended?"))
    write(here.folder / "twice.jsonl", [Question(str(n), text, (Relevant("oar.md"),)) for n, text in asked])
    ended = here.run("evaluate", "--golden", "twice.jsonl", "--arm", "x:mode=keyword")
    assert "1 question asks the same as another" in ended.err


def test_a_report_among_the_files_of_a_collection_is_not_indexed(here: Place) -> None:
    evaluated(here, "notes/mine")
    ended = here.run("ingest", "--json")
    assert (ended.code, ended.json[0]["files"]["added"]) == (0, 0)
    own = here.folder / "notes" / "mine" / ".whereinignore"
    assert own.read_text() == "/qrels.txt\n/run.*.txt\n"
    own.write_text("*\n")
    evaluated(here, "notes/mine")
    assert own.read_text() == "*\n"
    evaluated(here, "outside")
    assert not (here.folder / "outside" / ".whereinignore").exists()


def test_without_a_name_the_questions_are_those_that_were_made(here: Place) -> None:
    made = here.folder / "results" / "golden.jsonl"
    made.parent.mkdir(exist_ok=True)
    write(made, [Question("oar", "When was the oar mended?", (Relevant("oar.md"),))])
    try:
        ended = here.run("evaluate", "--arm", "x:mode=keyword", "--json", "--out", "made")
        assert (ended.code, ended.json["golden"]["questions"]) == (0, 1)
        assert "too few to tune on" in here.run("tune").err
    finally:
        made.unlink()
