"""What a run of each flow leaves behind."""

from __future__ import annotations

import json

from tests.flows.conftest import FILES, PLANTED, Orchestrator, Story, Tell
from tests.flows.running import flow
from tests.support.stub import Stub
from tests.support.workspace import Workspace

INGEST = ["scan", "diff", "read", "split", "embed", "write", "publish"]
QUERY = ["vector", "keyword", "fuse", "select", "prompt", "synthesise", "cite"]
COMPARE = ["vector", "keyword", "fuse", "select", "prompt", "synthesise", "cite", "synthesise", "cite"]


def test_each_stage_is_a_task_run_of_its_name(story: Story, orchestrator: Orchestrator) -> None:
    api = orchestrator.api
    assert api.stages(story.ingest.run["id"], "publish") == INGEST
    assert api.stages(story.query.run["id"], "cite") == QUERY
    assert api.stages(story.compare.run["id"], "cite", times=2) == COMPARE


def test_task_runs_have_times_and_say_nothing_of_what_they_were_given(story: Story, orchestrator: Orchestrator) -> None:
    for run in orchestrator.api.task_runs(story.query.run["id"]):
        assert run["end_time"] >= run["start_time"]
        assert not any(run["task_inputs"].values())
        assert run["cache_key"] is None


def test_each_answer_of_a_comparison_is_a_task_run_that_says_which_and_none_overlap(
    story: Story, orchestrator: Orchestrator
) -> None:
    orchestrator.api.stages(story.compare.run["id"], "cite", times=2)
    runs = [run for run in orchestrator.api.task_runs(story.compare.run["id"]) if run["name"] == "synthesise"]
    known = [{"question:1", "repeat:1", "temperature:0.3", f"model:{name}"} for name in ("stubchat", "second")]
    assert [known[at] <= set(run["tags"]) for at, run in enumerate(runs)] == [True, True]
    assert all(any(tag.startswith("server:127.0.0.1:") for tag in run["tags"]) for run in runs)
    assert all(run["end_time"] > run["start_time"] for run in runs)
    assert runs[0]["end_time"] <= runs[1]["start_time"]


def test_flow_parameters_are_json_values_with_a_workspace_one_can_read(story: Story) -> None:
    given = story.query.run["parameters"]
    assert given["question"] == "What is the pelican code?"
    assert given["workspace"] == str(story.ws.root)
    assert story.compare.run["parameters"]["models"] == ["stubchat", "second"]
    assert story.ingest.run["parameters"]["collections"] == []


def test_runs_have_readable_names(story: Story) -> None:
    assert story.ingest.run["name"] == "ingest all"
    assert story.query.run["name"].startswith("query ")


def test_a_query_prints_answer_citations_evidence_and_a_table_of_stage_times(story: Story) -> None:
    printed = story.query.ended.stdout
    assert printed.startswith("It is seven [1]")
    assert "[1] a.txt:1" in printed
    assert "The pelican code is 7." in printed
    table = printed[printed.index("stage ") :].splitlines()
    assert [line.split()[0] for line in table[1:]] == QUERY
    assert all(float(line.split()[1]) >= 0 for line in table[1:])


def test_the_evidence_below_an_answer_takes_one_line_a_passage(story: Story) -> None:
    printed = story.query.ended.stdout
    listed = printed[printed.index("Evidence:") : printed.index("\nstage ")].strip().splitlines()
    assert listed[1].startswith("1. a.txt:1")
    assert [line.partition(".")[0] for line in listed[1:]] == [str(n) for n in range(1, len(listed))]


def test_a_comparison_prints_every_answer_and_where_its_report_lies(story: Story) -> None:
    printed = story.compare.ended.stdout
    assert "stubchat at 0.3" in printed
    assert "second at 0.3" in printed
    assert "Report: " in printed


def test_an_answer_is_kept_in_the_results_folder(story: Story) -> None:
    (file,) = (story.ws.root / "results" / "query").glob("*.json")
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["answer"].startswith("It is seven [1]")
    assert kept["citations"][0]["path"] == "a.txt"


def test_the_page_of_a_query_holds_answer_places_and_times_but_no_words_of_the_files(
    story: Story, orchestrator: Orchestrator
) -> None:
    (page,) = orchestrator.api.artifacts(story.query.run["id"])
    assert (page["key"], page["type"]) == ("wherein-query", "markdown")
    assert "It is seven [1]" in page["data"]
    assert "`a.txt:1`" in page["data"]
    assert "| synthesise |" in page["data"]
    assert PLANTED not in page["data"]


def test_the_pages_of_ingest_and_compare_hold_counts_and_times(story: Story, orchestrator: Orchestrator) -> None:
    (ingested,) = orchestrator.api.artifacts(story.ingest.run["id"])
    assert "3 added" in ingested["data"]
    assert "| embed |" in ingested["data"]
    (compared,) = orchestrator.api.artifacts(story.compare.run["id"])
    assert "| second | 0.3 | 0 | ok |" in compared["data"]
    assert "| second | 0.3 | 1 | 1 | 0 | 0 | 0 | 0 |" in compared["data"]


def test_no_word_of_the_files_reaches_the_server(story: Story, orchestrator: Orchestrator) -> None:
    orchestrator.api.stages(story.compare.run["id"], "cite", times=2)
    assert PLANTED in story.query.ended.stdout
    assert orchestrator.holds("What is the pelican code?")
    assert not orchestrator.holds(PLANTED)
    assert not orchestrator.holds("harbour master")


def test_passages_are_on_the_page_where_the_settings_say_so(
    ws: Workspace, tell: Tell, orchestrator: Orchestrator
) -> None:
    for name in FILES:
        (ws.notes / name).unlink()
    ws.write("d.txt", "The archaeopteryx nests in the bell tower.")
    tell("ingest")
    ws.stub.default_answer = "“The archaeopteryx nests in the bell tower” [1]."
    told = tell("query", "Where does the archaeopteryx nest?", "--set", "prefect.record_text=true")
    (page,) = orchestrator.api.artifacts(told.run["id"])
    assert page["data"].count("archaeopteryx nests in the bell tower") >= 2


def test_two_hundred_tiny_files_make_a_handful_of_task_runs(
    ws: Workspace, tell: Tell, orchestrator: Orchestrator
) -> None:
    ws.write_all({f"f{number:03}.txt": f"tiny note {number}" for number in range(200)})
    told = tell("ingest")
    stages = orchestrator.api.stages(told.run["id"], "publish")
    assert len(stages) <= 2 * len(INGEST)
    assert set(stages) == set(INGEST)


def test_an_address_in_the_environment_changes_nothing(ws: Workspace, orchestrator: Orchestrator) -> None:
    before = len(orchestrator.api.flow_runs())
    with Stub() as spy:
        foreign = {"PREFECT_API_URL": f"{spy.url}/api", "PREFECT_API_KEY": "pnu_spy", "HTTP_PROXY": spy.url}
        flow("ingest", ws=ws, env=foreign).expect(0)
        assert spy.requests() == []
    assert len(orchestrator.api.flow_runs()) == before + 1
