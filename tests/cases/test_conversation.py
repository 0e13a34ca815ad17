"""`wherein ask` at a terminal: follow-ups, commands, and how it ends."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from tests.support.faults import Fault, always
from tests.support.talk import Talk
from tests.support.workspace import Workspace


@pytest.fixture
def ready(ws: Workspace) -> Iterator[Workspace]:
    ws.write_all({"a.txt": "In 1911 the pelican was sold.", "b.txt": "In 1912 the heron was bought."})
    ws.ingest()
    ws.stub.forget()
    yield ws


def _asked(ws: Workspace) -> list[str]:
    return [str(seen.body["messages"][-1]["content"]) for seen in ws.stub.chats]


def test_a_follow_up_is_condensed_shown_searched_and_kept_with_what_was_typed(ready: Workspace) -> None:
    talk = Talk(ready)
    talk.until("? ")
    first = talk.ask("what was sold in 1911?")
    assert "Asked as" not in first
    ready.stub.default_answer = "What was bought in 1912? [1]"
    second = talk.ask("and the year after?")
    assert "Asked as (one more request to stubchat; --no-condense): What was bought in 1912?" in second
    assert "b.txt" in talk.ask(":sources")
    assert "a.txt: it is hit" in talk.ask(":why a.txt")
    assert "There is no command :nosuch" in talk.ask(":nosuch")
    assert "is not known" in talk.ask(":model nosuch")
    assert "stubollama answers." in talk.ask(":model stubollama")
    assert talk.end() == 0
    prompts = _asked(ready)
    assert len(prompts) == 3
    assert "what was sold in 1911?" in prompts[1]
    assert "and the year after?" in prompts[1]
    assert "and the year after?" not in prompts[2]
    kept = ready.run("answers", "--json").expect(0).json[0]
    assert (kept["question"], kept["answer"]["typed"]) == ("What was bought in 1912? [1]", "and the year after?")


def test_a_condensing_request_asks_for_the_window_of_the_answer_before(ready: Workspace) -> None:
    talk = Talk(ready, "--model", "stubollama", "--set", "synthesis.max_tokens=3000")
    talk.until("? ")
    talk.ask("what was sold in 1911?")
    talk.ask("and then?")
    assert talk.end() == 0
    assert [seen.body["options"]["num_ctx"] for seen in ready.stub.chats] == [4096] * 3


def test_earlier_questions_come_back_in_a_later_conversation_unless_nothing_is_kept(ready: Workspace) -> None:
    pytest.importorskip("readline")
    talk = Talk(ready, "--no-condense")
    talk.until("? ")
    talk.ask("what was sold?")
    talk.end("\x04")
    talk = Talk(ready, "--no-condense", "--no-log")
    talk.until("? ")
    talk.type("\x1b[A\n")
    talk.ask("what was bought?")
    assert talk.end() == 0
    talk = Talk(ready, "--no-condense")
    talk.until("? ")
    talk.type("\x1b[A\n")
    assert "what was sold?" in talk.until("Files that contributed")
    assert talk.end() == 0
    assert all("bought" not in entry["question"] for entry in ready.run("answers", "--json").expect(0).json)


def test_a_failed_condensation_goes_on_with_what_was_typed_and_says_so(ready: Workspace) -> None:
    talk = Talk(ready)
    talk.until("? ")
    talk.ask("what was sold?")
    ready.stub.rule("chat", always(Fault(status=500)))
    assert "The question is asked as typed" in talk.ask("and then?")
    assert talk.end() == 3, "the code of the last answer"


def test_extractive_condenses_nothing_and_says_so_once(ready: Workspace) -> None:
    talk = Talk(ready, "--model", "extractive")
    talk.until("? ")
    talk.ask("what was sold in 1911?")
    assert "extractive writes no questions" in talk.ask("and the year after, 1912?")
    assert "extractive writes no questions" not in talk.ask("pelican?")
    assert talk.end("\x04") == 0
    assert ready.stub.chats == []


def test_ctrl_c_ends_an_answer_and_not_the_conversation(ready: Workspace) -> None:
    talk = Talk(ready)
    talk.until("? ")
    gate = ready.stub.hold("chat")
    talk.type("what was sold?\n")
    ready.stub.wait_for("chat", lambda _: True)
    time.sleep(0.1)
    talk.process.send_signal(signal.SIGINT)
    talk.until("The answer was ended")
    talk.until("? ")
    gate.release()
    assert talk.end() == 130


def test_being_told_to_terminate_ends_the_conversation(ready: Workspace) -> None:
    talk = Talk(ready)
    talk.until("? ")
    talk.process.send_signal(signal.SIGTERM)
    assert talk.end("") == 130


@pytest.mark.parametrize("busy", [False, True])
def test_a_terminal_that_is_closed_ends_the_conversation_and_loses_no_answer(ready: Workspace, busy: bool) -> None:
    talk = Talk(ready, "--no-condense")
    talk.until("? ")
    talk.ask("what was sold?")
    if busy:
        gate = ready.stub.hold("chat", 2)
        talk.type("what was bought?\n")
        gate.wait_reached()
        gate.release()
    assert talk.hang_up() in (0, 1, 130, -signal.SIGHUP)
    assert "what was sold?" in [entry["question"] for entry in ready.run("answers", "--json").expect(0).json]


def test_a_conversation_that_is_killed_leaves_its_answers_and_the_index(ready: Workspace) -> None:
    talk = Talk(ready)
    talk.until("? ")
    talk.ask("what was sold?")
    gate = ready.stub.hold("chat", 2)
    talk.type("and then?\n")
    gate.wait_reached()
    talk.process.kill()
    gate.release()
    talk.hang_up()
    (kept,) = ready.run("answers", "--json").expect(0).json
    assert kept["question"] == "what was sold?"
    assert ready.ask("what was bought?")["evidence"]


def test_what_is_piped_is_one_question_and_never_a_conversation(ready: Workspace) -> None:
    result = ready.run("ask", input=b"what was sold?\nand then?\n").expect(0)
    assert len(ready.stub.chats) == 1
    assert "? " not in result.stdout.splitlines()[0]
    assert "what was sold?\nand then?" in ready.stub.chats[0].prompt
    ready.run("ask", input=b"").expect(2)
    ready.run("ask", input=b"\xff\0\n").expect(0, 2, 4)


def test_a_model_that_is_not_known_ends_it_before_the_first_question(ready: Workspace) -> None:
    talk = Talk(ready, "--model", "nosuch")
    talk.until("is not known")
    assert talk.end("") == 2
