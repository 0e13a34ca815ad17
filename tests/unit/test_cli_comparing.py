"""`wherein compare`: what it would ask, in which order it asks, and what it says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.sent import checked
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from tests.support.stub import Stub
from tests.unit.cli_workspace import Ended, Place

SETTINGS = """
[models.paid]
base_url = "{v1}"
model = "a"
price_in = 1.0
price_out = 2.0
[models.free]
base_url = "{v1}"
model = "b"
context_window = 3000
"""


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as found:
        found.default_answer = "It is so [1]."
        yield found


@pytest.fixture
def here(tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """Two files, indexed; one of two models has a price."""
    use(monkeypatch, HashedWords())
    made = Folder(tmp_path)
    toml = made.place / "wherein.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + SETTINGS.format(v1=stub.v1), encoding="utf-8")
    made.write("a.txt", b"the pelican code is seven")
    made.write("b.txt", b"garden notes about a pelican")
    made.ingest()
    monkeypatch.chdir(made.place)
    return Place(made.place, capsys)


def compared(here: Place, *arguments: str, questions: int = 1) -> Ended:
    file = here.folder / "questions.txt"
    file.write_text("".join(f"pelican code {number}?\n" for number in range(questions)), encoding="utf-8")
    return here.run("compare", "--questions", str(file), *arguments)


def sent(stub: Stub) -> list[dict[str, Any]]:
    return [dict(seen.body) for seen in stub.chats]


BOTH = ("--model", "paid", "--model", "free")


def test_a_dry_run_tells_requests_tokens_and_price_and_asks_no_model(here: Place, stub: Stub) -> None:
    flags = (*BOTH, "--temperature", "0", "--temperature", "0.8", "--repeat", "3", "--max-tokens", "100")
    found = compared(here, *flags, "--dry-run", "--json", questions=2).json
    paid, free = found["models"]
    assert (paid["requests"], free["requests"]) == (12, 12)
    assert paid["prompt_tokens"] == 6 * sum(one["prompt_tokens"] for one in found["questions"])
    assert paid["completion_tokens"] == 1200
    assert paid["price"] == pytest.approx((paid["prompt_tokens"] + 2 * 1200) / 1e6)
    assert free["price"] is None
    assert found["price"] == paid["price"]
    assert (found["window"], [one["sent"] for one in found["questions"]]) == (3000, [2, 2])
    assert stub.chats == []
    assert not (here.folder / "results").exists()


def test_a_dry_run_for_people_names_the_address_and_the_missing_price(here: Place, stub: Stub) -> None:
    out = compared(here, *BOTH, "--model", "extractive", "--dry-run").out
    assert f"free at {stub.v1}: 1 request, " in out
    assert "no price is set (price_in, price_out)" in out
    assert "extractive: asks no model server" in out
    assert "another machine" not in out
    away = compared(
        here, "--model", "free", "--set", "models.free.base_url=https://me:secret@models.test/v1", "--dry-run"
    )
    assert "free at https://models.test/v1, another machine: 1 request" in away.out
    assert "2 passages sent, 0 dropped" in out
    assert "window 3,000 tokens" in out


def test_a_dry_run_counts_what_does_not_fit_and_what_has_no_evidence(here: Place) -> None:
    (whole,) = compared(here, *BOTH, "--dry-run", "--json").json["questions"]
    narrow = ("--set", f"models.free.context_window={whole['prompt_tokens'] + 99}", "--max-tokens", "100")
    (one,) = compared(here, *BOTH, *narrow, "--dry-run", "--json").json["questions"]
    assert (one["sent"], one["dropped"]) == (1, 1)
    ended = compared(here, *BOTH, "--path", "nowhere/*", "--dry-run", "--json")
    assert (ended.code, ended.json["models"][0]["requests"]) == (4, 0)


def test_other_wordings_are_not_asked_for_by_a_dry_run_which_says_so(here: Place, stub: Stub) -> None:
    found = compared(here, *BOTH, "--expand", "--set", "synthesis.model=free", "--dry-run", "--json").json
    assert stub.chats == []
    assert any("not asked for" in note for note in found["notes"])


def test_a_priced_run_says_what_it_may_cost_before_it_asks(here: Place, stub: Stub) -> None:
    ended = compared(here, *BOTH)
    assert "paid at " in ended.err
    assert "for at most " in ended.err
    assert "cost " in ended.out
    assert "for at most" not in compared(here, "--model", "free").err
    assert "for at most" in compared(here, "--model", "paid", "--json").err
    assert len(stub.chats) == 4


def test_every_answer_to_a_question_comes_from_the_same_messages(here: Place, stub: Stub) -> None:
    compared(here, *BOTH, "--temperature", "0", "--temperature", "0.8", "--repeat", "2", questions=3)
    seen = checked(sent(stub), questions=3, answers=8)
    assert seen["identical_messages"]
    varied = {name for name, values in seen["fields"]["openai"].items() if len(values) > 1}
    assert varied == {"model", "temperature", "seed"}


def test_each_question_begins_at_another_temperature_and_the_report_keeps_their_order(here: Place, stub: Stub) -> None:
    flags = ("--temperature", "0", "--temperature", "0.8", "--out", "out")
    compared(here, "--model", "free", *flags, questions=3)
    assert [body["temperature"] for body in sent(stub)] == [0, 0.8, 0.8, 0, 0, 0.8]
    kept = json.loads((here.folder / "out" / "report.json").read_text(encoding="utf-8"))
    assert [[a["temperature"] for a in one["answers"]] for one in kept["questions"]] == [[0, 0.8]] * 3


def test_means_agreement_and_too_few_questions_are_told(here: Place) -> None:
    ended = compared(here, "--model", "free", "--repeat", "2", questions=2)
    assert "free at 0.3: 4 answers, 4 ok\n" in ended.out
    assert "files cited 1 · " in ended.out
    assert "of 2 pairs of repeats: 100 % equal text, cited passages overlap by 1.00 (Jaccard, 2 pairs)" in ended.out
    assert "2 of at least 6 questions: too few for intervals" in ended.err
    single = compared(here, "--model", "free")
    assert "too few" not in single.err


def test_six_questions_have_intervals(here: Place, stub: Stub) -> None:
    stub.answers["b"] = "It is so."
    ended = compared(here, *BOTH, "--json", questions=6)
    assert ended.json["intervals"] == "95 %, over questions"
    first, second = ended.json["summary"]
    assert second["differences"]["files_cited"]["verdict"] == "lower"
    assert first["differences"] == {}
    assert ended.json["cost"] == pytest.approx(first["cost"])


@pytest.mark.parametrize("out", ["wherein.toml", "wherein.toml/below", "x" * 300])
def test_no_model_is_asked_where_the_report_cannot_be_written(here: Place, stub: Stub, out: str) -> None:
    ended = compared(here, "--model", "paid", "--out", out)
    assert ended.code == 2
    assert "--out" in ended.err
    assert not stub.chats
