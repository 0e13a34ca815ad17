from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.faults import Fault, only_for
from tests.support.workspace import Workspace

TWO = ("--model", "m1", "--model", "m2")


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    for name in ("m1", "m2", "m3"):
        ws.add_model(name, f"stub-{name}")
    ws.write_all({"a.txt": "the pelican code is 7", "b.txt": "another pelican note", "c.txt": "garden notes"})
    ws.ingest()
    ws.stub.forget()
    return ws


def _messages(ws: Workspace) -> set[str]:
    return {json.dumps(seen.body["messages"]) for seen in ws.stub.chats}


def _reports(ws: Workspace) -> list[Path]:
    return sorted((ws.root / "results" / "compare").glob("*/report.json"))


def test_every_model_gets_the_same_messages_from_one_retrieval(ready: Workspace) -> None:
    report = ready.compare("pelican code?", *TWO)
    first, second = (dict(seen.body) for seen in ready.stub.chats)
    assert {first.pop("model"), second.pop("model")} == {"stub-m1", "stub-m2"}
    assert first == second
    assert ready.stub.embedded == ["pelican code?"]
    assert report["evidence"][0]["path"] == "a.txt"
    assert [answer["model"] for answer in report["answers"]] == ["m1", "m2"]
    for answer in report["answers"]:
        assert (answer["status"], answer["error"], answer["controlled"]) == ("ok", None, True)
        assert answer["usage"]["completion_tokens"] > 0
        assert answer["seconds"]["total"] >= 0
        assert answer["metrics"]["files_cited"] == 1


def test_models_temperatures_and_repeats_make_one_answer_each(ready: Workspace) -> None:
    flags = ("--temperature", "0.1", "--temperature", "0.3", "--repeat", "2", "--set", "synthesis.seed=40")
    report = ready.compare("pelican code?", *TWO, *flags, "--out", "out")
    combinations = {(a["model"], a["temperature"], a["seed"], a["repeat"]) for a in report["answers"]}
    assert combinations == {(m, t, 39 + r, r) for m in ("m1", "m2") for t in (0.1, 0.3) for r in (1, 2)}
    sent = [(seen.model, seen.body["temperature"], seen.body["seed"]) for seen in ready.stub.chats]
    assert sorted(sent) == sorted((f"stub-{m}", t, s) for m in ("m1", "m2") for t in (0.1, 0.3) for s in (40, 41))
    models = [seen.model for seen in ready.stub.chats]
    assert models == sorted(models), "answers run grouped by model"
    assert len(_messages(ready)) == 1
    names = sorted(path.name for path in (ready.root / "out").iterdir())
    expected = [f"results_{m}_t{t}_r{r}.txt" for m in ("m1", "m2") for t in ("0.1", "0.3") for r in (1, 2)]
    assert names == sorted(["report.html", "report.json", *expected])


def test_each_written_answer_says_how_it_came_about(ready: Workspace) -> None:
    ready.stub.answers["stub-m1"] = "Seven it is [1]."
    report = ready.compare("pelican code?", "--model", "m1", "--temperature", "0.1", "--out", "out")
    text = (ready.root / "out" / "results_m1_t0.1.txt").read_text(encoding="utf-8")
    for part in ("pelican code?", report["evidence_digest"], "0.1", "Seven it is [1]."):
        assert part in text
    stored = json.loads((ready.root / "out" / "report.json").read_text(encoding="utf-8"))
    assert stored["evidence_digest"] == report["evidence_digest"]


def test_reports_go_to_the_results_folder_under_their_digest(ready: Workspace) -> None:
    report = ready.compare("pelican code?", *TWO)
    (stored,) = _reports(ready)
    digest = stored.parent.name.rpartition("-")[2]
    assert len(digest) >= 6
    assert digest in report["evidence_digest"]


def test_a_model_name_becomes_a_file_name(ready: Workspace) -> None:
    ready.add_model("odd/name:7b v2", "stub-odd")
    ready.compare("pelican code?", "--model", "odd/name:7b v2", "--temperature", "0.3", "--out", "out")
    assert (ready.root / "out" / "results_odd-name-7b-v2_t0.3.txt").is_file()


def test_without_temperatures_all_run_at_the_set_one(ready: Workspace) -> None:
    ready.compare("pelican code?", *TWO, "--set", "synthesis.temperature=0.65")
    assert {seen.body["temperature"] for seen in ready.stub.chats} == {0.65}


def test_one_failing_model_does_not_spoil_the_others(ready: Workspace) -> None:
    ready.stub.rule("chat", only_for("stub-m1", Fault(500, "the engine caught fire")))
    report = ready.compare("pelican code?", *TWO, code=3)
    by_model = {answer["model"]: answer for answer in report["answers"]}
    assert by_model["m1"]["status"] == "failed"
    assert "the engine caught fire" in by_model["m1"]["error"]
    assert by_model["m2"]["status"] == "ok"


def test_when_every_model_fails_the_comparison_failed(ready: Workspace) -> None:
    ready.stub.missing = {"stub-m1", "stub-m2"}
    ready.run("compare", "pelican code?", *TWO).expect(1)


def test_refusals_and_empty_answers_are_told_apart(ready: Workspace) -> None:
    ready.stub.answers |= {"stub-m1": "NOT IN YOUR FILES", "stub-m2": ""}
    report = ready.run("compare", "pelican code?", *TWO, "--model", "m3", "--json").expect(0, 3).json
    statuses = {answer["model"]: answer["status"] for answer in report["answers"]}
    assert statuses == {"m1": "refused", "m2": "empty", "m3": "ok"}
    assert all(answer["citations"] == [] for answer in report["answers"] if answer["model"] != "m3")


def test_the_smallest_window_rules_and_that_is_said(ready: Workspace) -> None:
    ready.write_all({f"long{n}.txt": f"pelican {n} " + f"filler{n} " * 200 for n in range(12)})
    ready.ingest()
    ready.add_model("narrow", "stub-narrow", context_window=2500)
    ready.stub.forget()
    report = ready.compare("pelican code?", "--model", "m1", "--model", "narrow", "-k", "12")
    assert len(_messages(ready)) == 1
    assert "2500" in " ".join(report["notes"]) or "window" in " ".join(report["notes"])
    assert len(ready.stub.chats[0].prompt.split()) < 2500


def test_without_evidence_no_model_is_asked(ready: Workspace) -> None:
    ready.run("compare", "zzyzx?", *TWO, "--path", "nowhere/*", "--json").expect(4)
    assert ready.stub.chats == []


def test_an_interrupted_comparison_keeps_the_answers_it_has(ready: Workspace) -> None:
    gate = ready.stub.hold("chat", 2)
    running = ready.start("compare", "pelican code?", *TWO)
    gate.wait_reached()
    assert [file.name for file in (ready.root / "results").rglob("*.txt")] == ["results_m1_t0.3.txt"]
    running.interrupt()
    running.wait(20).expect(130)
    gate.release()
    (report,) = _reports(ready)
    kept = json.loads(report.read_text(encoding="utf-8"))
    assert [answer["model"] for answer in kept["answers"]] == ["m1"]
    assert "interrupted after 1 of 2 answers" in kept["notes"]


def test_questions_from_a_file_are_numbered(ready: Workspace) -> None:
    (ready.root / "questions.txt").write_text("pelican code?\ngarden notes?\n", encoding="utf-8")
    flags = ("--questions", "questions.txt", "--model", "m1", "--temperature", "0.3", "--out", "out")
    report = ready.compare(*flags)
    assert [entry["evidence"][0]["path"] for entry in report["questions"]] == ["a.txt", "c.txt"]
    assert len(ready.stub.chats) == 2
    assert {path.name for path in (ready.root / "out").glob("results_*")} == {
        "results_m1_t0.3_q1.txt",
        "results_m1_t0.3_q2.txt",
    }


def test_text_in_answers_and_passages_is_not_markup_in_the_report(ready: Workspace) -> None:
    bad = "<script>alert(1)</script>"
    ready.write("evil.txt", f"pelican {bad} note")
    ready.ingest()
    ready.stub.default_answer = f"So {bad} [1]."
    ready.compare(f"pelican {bad}?", "--model", "m1", "--out", "out")
    page = (ready.root / "out" / "report.html").read_text(encoding="utf-8")
    assert bad not in page
    assert "alert(1)" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_an_unknown_model_is_wrong_usage_before_any_call(ready: Workspace) -> None:
    ready.run("compare", "pelican code?", "--model", "m1", "--model", "nosuch").expect(2)
    assert ready.stub.requests() == []


def test_metrics_count_quotations_and_uncited_sentences(ready: Workspace) -> None:
    ready.stub.answers["stub-m1"] = (
        'It says "the pelican code is 7" [1]. It says "the code is a lie" [1]. Nobody knows why it is so.'
    )
    answer: dict[str, Any] = ready.compare("pelican code?", "--model", "m1")["answers"][0]
    metrics = answer["metrics"]
    assert (metrics["quotes_verified"], metrics["quotes_unverified"]) == (1, 1)
    assert metrics["sentences_without_citation"] == 1
    assert metrics["lowest_rank_cited"] == 1
