"""Evaluating as a flow: one task run an arm, and nothing of the files in what the server is told."""

from __future__ import annotations

import json

from tests.flows.conftest import PLANTED, Orchestrator, Story, Told
from tests.flows.conftest import told as telling
from tests.flows.running import Teller

QUESTION = "What is the pelican code?"


def evaluated(story: Story, orchestrator: Orchestrator, teller: Teller) -> Told:
    line = {"id": "q1", "question": QUESTION, "relevant": ["a.txt"], "answerable": True}
    (story.ws.root / "golden.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    arms = ("--arm", "words:mode=keyword", "--arm", "meaning:mode=vector")
    return telling(orchestrator, teller, story.ws)("evaluate", "--golden", "golden.jsonl", *arms)


def test_each_arm_is_a_task_run_and_the_page_holds_measures_only(
    story: Story, orchestrator: Orchestrator, teller: Teller
) -> None:
    done = evaluated(story, orchestrator, teller)
    assert orchestrator.api.stages(done.run["id"], "arm", times=3) == ["arm", "arm", "arm"]
    assert "1 questions in 3 arms" in orchestrator.api.flow_run(done.run["id"])["state"]["message"]
    (page,) = orchestrator.api.artifacts(done.run["id"])
    assert page["key"] == "wherein-evaluate"
    assert "| words |" in page["data"]
    assert PLANTED not in page["data"]
    assert QUESTION not in page["data"]
    assert "meaning" in done.ended.stdout
    assert "Report: " in done.ended.stdout
    assert list((story.ws.root / "results" / "evaluate").glob("*/report.html"))
