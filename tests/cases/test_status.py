from __future__ import annotations

import json
import re

from tests.support.faults import Fault
from tests.support.stub import Stub
from tests.support.workspace import Workspace, paths

INGEST_STAGES = ["scan", "diff", "read", "split", "embed", "write", "publish"]


def _five(ws: Workspace, third: str = "pelican three") -> None:
    ws.write_all({"f1.txt": "pelican one", "f2.txt": "pelican two", "f3.txt": third})
    ws.write_all({"f4.txt": "pelican four", "f5.txt": "pelican five"})


def test_counts_come_from_what_is_stored(ws: Workspace, stub: Stub) -> None:
    stub.poison = "POISON"
    _five(ws, "pelican POISON")
    ws.write("blank.txt", "")
    ws.ingest(code=3)
    status = ws.status()
    assert status["files"] == {"indexed": 4, "failed": 1, "empty": 1, "skipped": 0, "pending": 0}
    assert status["chunks"] == 4
    assert [problem["path"] for problem in status["problems"]] == ["f3.txt"]
    assert "5 of 5" not in ws.run("status").expect(0, 3).stdout


def test_files_a_run_left_over_are_pending_and_keep_their_old_version(ws: Workspace, stub: Stub) -> None:
    ws.configure({"embedding": {"batch": 1}})
    _five(ws)
    ws.ingest()
    for n in range(1, 6):
        ws.write(f"f{n}.txt", f"heron number {n}")
    stub.forget()
    stub.rule("embed", lambda seen: Fault(429, headers={"Retry-After": "1"}) if seen.ordinal > 2 else None)
    report = ws.run("ingest", "--json", timeout=180).expect(1, 3)
    stub.calm()
    status = ws.status()
    assert status["files"]["indexed"] == 5
    assert status["files"]["pending"] >= 2
    new = paths(ws.run("search", "heron", "--mode", "keyword", "--json").expect(0, 4).json)
    old = paths(ws.run("search", "pelican", "--mode", "keyword", "--json").expect(0, 4).json)
    assert sorted(new + old) == [f"f{n}.txt" for n in range(1, 6)]
    assert (report.code == 1) == (not new)
    ws.ingest()
    assert ws.status()["files"]["pending"] == 0
    assert len(paths(ws.search("heron", "--mode", "keyword"))) == 5


def test_status_names_everything_promised(ws: Workspace) -> None:
    _five(ws)
    ws.ingest()
    whole = ws.run("status", "--json").expect(0).json
    assert set(whole) >= {"collections", "prefect"}
    status = whole["collections"][0]
    assert set(status) >= {
        "name", "root", "generation", "refreshed_at", "age_seconds", "files", "chunks", "bytes", "settings",
        "languages", "interrupted_run", "problems",
    }  # fmt: skip
    assert (status["name"], status["root"]) == ("notes", str(ws.notes))
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", status["refreshed_at"])
    assert 0 <= status["age_seconds"] < 3600
    assert status["bytes"] > 0
    assert ws.search("pelican")["index_age_seconds"] >= 0


def test_status_before_the_first_run_is_no_crash(ws: Workspace) -> None:
    result = ws.run("status", "--json").expect(0, 1)
    if result.code == 0:
        assert result.json["collections"][0]["files"]["indexed"] == 0
    ws.run("search", "pelican").expect(1)
    ws.run("ask", "pelican?").expect(1)


def test_status_does_not_scan(ws: Workspace) -> None:
    _five(ws)
    ws.ingest()
    ws.write("new.txt", "not yet seen")
    (ws.notes / "f1.txt").unlink()
    assert ws.status()["files"] == {"indexed": 5, "failed": 0, "empty": 0, "skipped": 0, "pending": 0}


def test_ingest_stages_come_once_each_in_order_of_start(ws: Workspace) -> None:
    ws.configure({"embedding": {"batch": 1}})
    _five(ws)
    report = ws.ingest()
    assert [stage["stage"] for stage in report["stages"]] == INGEST_STAGES
    items = {stage["stage"]: stage["items"] for stage in report["stages"]}
    assert items["read"] == 5
    assert all(stage["seconds"] >= 0 for stage in report["stages"])
    names = [stage["stage"] for stage in ws.ingest()["stages"]]
    assert names[:2] == ["scan", "diff"]
    assert not {"split", "embed", "publish"} & set(names), "a stage not run is absent"


def test_files_lists_states_sizes_and_reasons(ws: Workspace) -> None:
    ws.write_all({"good.txt": "pelican", "blank.txt": " ", "bin.txt": bytes(range(256)) * 9})
    ws.ingest(code=3)
    rows = ws.files()
    assert {name: row["state"] for name, row in rows.items()} == {
        "good.txt": "indexed", "blank.txt": "empty", "bin.txt": "skipped"
    }  # fmt: skip
    assert (rows["good.txt"]["size_bytes"], rows["good.txt"]["chunks"]) == (7, 1)
    assert rows["good.txt"]["collection"] == "notes"
    assert rows["bin.txt"]["reason"]


def test_the_start_up_of_light_commands_loads_nothing_heavy(ws: Workspace) -> None:
    _five(ws)
    ws.ingest()
    for command in (("--help",), ("--version",), ("status",), ("ingest",)):
        result = ws.run(*command, python=("-X", "importtime")).expect(0)
        loaded = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines() if "import time" in line}
        heavy = {"numpy", "torch", "prefect", "llama_index.core", "openai", "onnxruntime", "transformers"}
        assert not heavy & loaded, command


def test_two_thousand_files_are_no_burden_for_a_question(ws: Workspace) -> None:
    for n in range(2000):
        ws.write(f"d{n % 20}/f{n}.txt", f"note {n} about subject{n} in group{n % 7}")
    assert ws.ingest(timeout=240)["chunks"]["total"] == 2000
    assert ws.status()["files"]["indexed"] == 2000
    assert paths(ws.search("subject1234", "--mode", "keyword"))[0] == "d14/f1234.txt"
    assert ws.ingest()["files"]["unchanged"] == 2000


def test_doctor_and_models_have_nothing_to_complain_about(ws: Workspace) -> None:
    _five(ws)
    ws.ingest()
    ws.run("doctor").expect(0)
    ws.run("models").expect(0)
    json.loads(ws.run("doctor", "--json").expect(0).stdout)
