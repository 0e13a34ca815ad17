"""`evaluate --answers`: golden questions put to models and temperatures."""

from __future__ import annotations

import json

from tests.support.workspace import Workspace

GOLDEN = [
    {"id": "sun", "question": "What do tomatoes want?", "relevant": ["tomato.txt"], "answer": "Sun and a stake."},
    {"id": "no", "question": "Who won the chess match?", "relevant": [], "answerable": False},
]


def test_answers_are_measured_by_model_and_temperature_with_honest_differences(ws: Workspace) -> None:
    ws.write("tomato.txt", "Tomatoes want sun and a stake by June.")
    ws.write("roses.txt", "Prune the roses before the frost ends.")
    (ws.root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLDEN), encoding="utf-8")
    ws.ingest()
    ws.stub.default_answer = "They want sun and a stake [1]."
    arms = ("--model", "stubchat", "--temperature", "0", "--temperature", "0.8", "--repeat", "2")
    report = ws.run("evaluate", "--golden", "golden.jsonl", "--answers", *arms, "--json").expect(0).json
    assert [(arm["model"], arm["temperature"]) for arm in report["arms"]] == [("stubchat", 0.0), ("stubchat", 0.8)]
    first, second = report["arms"]
    assert first["means"]["right to answer"] == 0.5
    assert first["means"]["reference contained"] == 1.0
    assert second["differences"]["right to answer"]["verdict"] == "cannot tell"
    assert len(report["rows"]) == 8
    assert len(ws.stub.chats) == 8


def test_a_model_that_fails_is_right_in_nothing(ws: Workspace) -> None:
    ws.write("tomato.txt", "Tomatoes want sun and a stake by June.")
    (ws.root / "golden.jsonl").write_text(json.dumps(GOLDEN[0]) + "\n", encoding="utf-8")
    ws.ingest()
    ws.configure({"models": {"gone": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}}})
    told = ws.run("evaluate", "--golden", "golden.jsonl", "--answers", "--model", "gone", "--json").expect(1).json
    assert set(told["arms"][0]["means"].values()) == {0.0}
