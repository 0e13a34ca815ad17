from __future__ import annotations

import pytest

from tests.support.faults import Fault, always
from tests.support.workspace import Workspace


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    ws.write_all({f"f{n}.txt": f"pelican number {n}" for n in range(6)})
    ws.ingest()
    ws.stub.forget()
    return ws


def test_search_embeds_the_question_once_and_asks_no_model(ready: Workspace) -> None:
    ready.search("pelican of the lake")
    assert ready.stub.chats == []
    assert ready.stub.embedded == ["pelican of the lake"]


@pytest.mark.parametrize(
    "command",
    [
        ("search", "pelican", "--mode", "keyword"),
        ("keywords", "pelican"),
        ("status",),
        ("files",),
        ("show", "f1.txt"),
        ("ingest",),
        ("ingest", "--verify"),
        ("ingest", "--dry-run"),
    ],
)
def test_what_needs_no_model_calls_none(ready: Workspace, command: tuple[str, ...]) -> None:
    ready.run(*command).expect(0)
    assert ready.stub.requests("chat") == ready.stub.requests("embed") == []


@pytest.mark.parametrize("model", ["stubchat", "stubollama"])
def test_a_question_costs_one_embedding_and_one_answer(ready: Workspace, model: str) -> None:
    ready.ask("which pelican?", "--model", model)
    assert len(ready.stub.chats) == 1
    assert ready.stub.embedded == ["which pelican?"]


def test_a_comparison_of_three_models_costs_three_answers(ready: Workspace) -> None:
    flags = []
    for name in ("m1", "m2", "m3"):
        ready.add_model(name, f"stub-{name}")
        flags += ["--model", name]
    ready.compare("which pelican?", *flags)
    assert len(ready.stub.chats) == 3
    assert ready.stub.embedded == ["which pelican?"]


def test_usage_is_what_the_server_counted_and_cost_follows_the_prices(ready: Workspace) -> None:
    ready.add_model("priced", "stub-priced", price_in=2.0, price_out=10.0)
    ready.stub.usage = (1000, 500)
    usage = ready.ask("which pelican?", "--model", "priced")["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (1000, 500)
    assert usage["cost"] == pytest.approx(0.007)


def test_the_clients_own_retries_are_off(ready: Workspace) -> None:
    ready.stub.rule("chat", always(Fault(500)))
    ready.ask("which pelican?", code=3)
    assert len(ready.stub.chats) == 1


def test_every_file_is_embedded_exactly_once_over_many_refreshes(ws: Workspace) -> None:
    for n in range(5):
        ws.write(f"f{n}.txt", f"pelican number {n}")
        ws.ingest()
    assert sorted(ws.stub.embedded) == [f"pelican number {n}" for n in range(5)]


def test_equal_texts_are_embedded_once(ws: Workspace) -> None:
    ws.write_all({f"f{n}.txt": "the same pelican" for n in range(5)})
    report = ws.ingest()
    assert ws.stub.embedded == ["the same pelican"]
    assert (report["embedded"], report["reused"]) == (1, 4)


def test_an_edit_in_a_long_file_embeds_a_fraction_of_it(ws: Workspace) -> None:
    paragraphs = [f"Paragraph {n} tells of subject{n} and of thing{n} at some length. " * 8 for n in range(120)]
    ws.write("long.txt", "\n\n".join(paragraphs))
    whole = ws.ingest()["embedded"]
    paragraphs[60] = "A wholly new paragraph in the middle."
    ws.write("long.txt", "\n\n".join(paragraphs))
    assert 1 <= ws.ingest()["embedded"] <= max(40, whole // 2)
