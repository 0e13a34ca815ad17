"""How a run ends in Prefect, and with which exit code."""

from __future__ import annotations

import json

from store import lock
from tests.flows.conftest import Orchestrator, Tell, Told
from tests.flows.running import flow
from tests.support.faults import Fault, always
from tests.support.workspace import Workspace


def _state(told: Told) -> tuple[str, str]:
    return told.run["state_type"], told.run["state_name"]


def _one_sentence(told: Told) -> str:
    """The state's message, which is also all that the command says of the failure."""
    message: str = told.run["state"]["message"]
    assert told.ended.stderr.count(message) >= 1
    assert told.ended.stdout == ""
    return message


def test_a_run_without_an_index_has_failed(tell: Tell) -> None:
    told = tell("query", "pelican?", code=1)
    assert _state(told) == ("FAILED", "Failed")
    assert "wherein ingest" in _one_sentence(told)


def test_an_unknown_model_has_failed_with_the_code_of_wrong_usage(tell: Tell) -> None:
    told = tell("query", "pelican?", "--model", "nobody", code=2)
    assert _state(told) == ("FAILED", "Failed")
    assert "'nobody'" in _one_sentence(told)


def test_settings_that_are_wrong_start_no_run(ws: Workspace, orchestrator: Orchestrator) -> None:
    before = len(orchestrator.api.flow_runs())
    ended = flow("ingest", "--set", "retrieval.k=none", ws=ws).expect(2)
    assert "retrieval.k" in ended.stderr
    assert len(orchestrator.api.flow_runs()) == before


def test_a_binary_file_makes_an_ingest_partial(ws: Workspace, tell: Tell) -> None:
    ws.write("junk.txt", bytes(range(256)) * 40)
    told = tell("ingest", code=3)
    assert _state(told) == ("COMPLETED", "Partial")


def test_a_collection_that_another_process_writes_cancels_the_run(ws: Workspace, tell: Tell) -> None:
    with lock.writing(ws.state / "collections" / "notes", "notes"):
        told = tell("ingest", code=5)
    assert _state(told) == ("CANCELLED", "Cancelled")
    assert "busy" in _one_sentence(told)


def test_a_model_that_cannot_embed_fails_the_run_and_no_text_is_told(
    ws: Workspace, tell: Tell, orchestrator: Orchestrator
) -> None:
    ws.stub.rule("embed", always(Fault(500, "the quetzal is out")))
    told = tell("ingest", code=1)
    assert _state(told) == ("FAILED", "Failed")
    assert not orchestrator.holds("sleeps beside the harbour wall")


def test_a_refusal_is_not_found_and_an_unreachable_model_is_partial(ws: Workspace, tell: Tell) -> None:
    tell("ingest")
    ws.stub.default_answer = "NOT IN YOUR FILES"
    refused = tell("query", "pelican?", code=4)
    assert _state(refused) == ("COMPLETED", "NotFound")
    ws.stub.rule("chat", always(Fault(500, "the engine caught fire")))
    unanswered = tell("query", "pelican?", code=3)
    assert _state(unanswered) == ("COMPLETED", "Partial")
    assert "The pelican code is 7." in unanswered.ended.stdout
    kept = (ws.root / "results" / "query").glob("*.json")
    assert sorted(json.loads(file.read_text(encoding="utf-8"))["refused"] for file in kept) == [False, True]
