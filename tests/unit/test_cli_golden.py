"""`wherein golden`: make, review, check, show."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_files import read, write
from tests.support.stub import Stub
from tests.unit.cli_workspace import Place, collections, place, publish
from tests.unit.test_golden_making import ENTRIES, FILLER
from wherein.pipelines.evaluation.review import Review

__all__ = ["place"]
NAMES = {
    "2021-04-02.md": "Zephaniah Cobb said that the clock was worth nothing, and that he had seen a hundred of them.",
    "2021-04-20.md": "We asked Lazlo Hruby, who had never heard of it either, nor had anybody whom he knew.",
    "2021-04-21.md": "The number on the crate was RX-4471, in red.",
}
ONE = Question("one", "Who is Cobb?", (Relevant("2021-04-02.md", "Zephaniah Cobb said"),), kind="name", made_by="rule")
NONE = Question("none", "Who is Crale?", answerable=False, kind="near-miss", made_by="rule")


def indexed(place: Place, texts: dict[str, str]) -> Place:
    (place.folder / "notes").mkdir(exist_ok=True)
    publish(place.index(), *((path, f"{FILLER}\n\n{text}\n") for path, text in texts.items()))
    return place


@pytest.fixture
def here(place: Place) -> Place:
    return indexed(place, NAMES)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_questions_are_made_into_the_results_and_never_written_over(here: Place) -> None:
    made = here.run("golden", "make", "--count", "3")
    assert made.code == 0
    file = here.folder / "results" / "golden.jsonl"
    assert f"Written to {file}" in made.out
    assert len(read(file)) == 3
    again = here.run("golden", "make", "--count", "3")
    assert again.code == 2
    assert "is there already" in again.err


def test_the_document_tells_file_questions_kinds_and_notes(here: Place) -> None:
    ended = here.run("golden", "make", "--kinds", "name,identifier", "--out", "made.jsonl", "--json")
    assert ended.code == 0
    assert ended.json["kinds"] == {"name": 2, "identifier": 1}
    assert len(ended.json["questions"]) == 3
    assert any("they favour keyword search" in note for note in ended.json["notes"])
    assert read(here.folder / "made.jsonl")[0].relevant[0].collection == "notes"


def test_a_set_may_go_to_stdout(here: Place) -> None:
    ended = here.run("golden", "make", "--count", "2", "--out", "-")
    assert [json.loads(line)["made_by"] for line in ended.out.splitlines()] == ["rule", "rule"]
    assert not (here.folder / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--kinds", "riddle"), 2, "No kind of question is called 'riddle'"),
        (("--kinds", "llm"), 2, "add --llm"),
        (("--model", "x"), 2, "add --llm"),
        (("--llm", "--model", "extractive"), 2, "needs a language model"),
        (("--llm", "--model", "nobody"), 2, "Model 'nobody' is not known"),
        (("--out", "no/where.jsonl"), 2, "There is no folder"),
        (("--out", "no/where.jsonl", "--kinds", "heading"), 2, "There is no folder"),
        (("--out", "x" * 300), 2, "File name too long"),
        (("--kinds", "heading"), 1, "No question could be made"),
    ],
)
def test_what_cannot_be_made_is_said(here: Place, arguments: tuple[str, ...], code: int, said: str) -> None:
    ended = here.run("golden", "make", *arguments)
    assert ended.code == code
    assert said in ended.err


def test_without_an_index_nothing_is_made_or_checked(place: Place) -> None:
    write(place.folder / "golden.jsonl", [NONE])
    assert place.run("golden", "make").code == 1
    assert place.run("golden", "check", "golden.jsonl").code == 1


def test_a_set_that_is_all_there_passes(here: Place) -> None:
    here.run("golden", "make", "--out", "golden.jsonl")
    ended = here.run("golden", "check", "golden.jsonl")
    assert ended.code == 0
    assert "all is there" in ended.out


def test_what_is_gone_is_named_with_its_question(here: Place) -> None:
    lost = Question("lost", "?", (Relevant("2020-01-01.md"),))
    misquoted = Question("changed", "?", (Relevant("notes/2021-04-02", "Zephaniah Cobb sang"),))
    write(here.folder / "golden.jsonl", [ONE, lost, misquoted, NONE])
    ended = here.run("golden", "check", "golden.jsonl")
    assert ended.code == 3
    assert "lost: 2020-01-01.md is not indexed" in ended.out
    assert "changed: 2021-04-02.md no longer holds 'Zephaniah Cobb sang'" in ended.out
    assert "one:" not in ended.out
    found = here.run("golden", "check", "golden.jsonl", "--json")
    assert [entry["id"] for entry in found.json["gone"]] == ["lost", "changed"]
    assert (found.json["questions"], found.json["answerable"]) == (4, 3)


def test_a_set_is_listed_and_by_kind(here: Place) -> None:
    write(here.folder / "golden.jsonl", [ONE, NONE])
    listed = here.run("golden", "show", "golden.jsonl").out.splitlines()
    assert listed == [
        "one  name       Who is Cobb?  (2021-04-02.md)",
        "none  near-miss  Who is Crale?  (nothing answers it)",
    ]
    assert [row["id"] for row in here.run("golden", "show", "golden.jsonl", "--kind", "name", "--json").json] == ["one"]


def test_the_bare_command_tells_the_kinds(place: Place) -> None:
    assert "off-topic; llm by a language model" in place.run("golden").out
    assert place.run("golden", "--json").json["kinds"][-1] == "llm"


def test_a_review_is_written_at_each_decision_and_goes_on_where_it_stopped(
    here: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = here.folder / "golden.jsonl"
    third = Question("three", "?", (Relevant("2021-04-20.md"),))
    write(file, [ONE, NONE, third])
    typed(monkeypatch, "what?\ny\nN\n")
    first = here.run("golden", "review", "golden.jsonl")
    assert first.code == 0
    assert "1 of 3  [name]  Who is Cobb?" in first.out
    assert '2021-04-02.md: "Zephaniah Cobb said"' in first.out
    assert "1 accepted, 1 dropped, 1 to review" in first.out
    assert [(question.id, question.made_by) for question in read(file)] == [("one", "rule, reviewed"), ("three", "")]
    typed(monkeypatch, "y\n")
    second = here.run("golden", "review", "golden.jsonl")
    assert "1 of 1" in second.out and "Who is Cobb?" not in second.out
    assert read(file)[1].made_by == "reviewed"
    assert "0 to review" in here.run("golden", "review", "golden.jsonl").out


def test_a_question_may_be_left_for_later(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here.folder / "golden.jsonl", [ONE, NONE])
    typed(monkeypatch, "s\ny\n")
    assert here.run("golden", "review", "golden.jsonl", "--json").json == {"accepted": 1, "dropped": 0, "left": 1}
    assert [question.made_by for question in read(here.folder / "golden.jsonl")] == ["rule", "rule, reviewed"]


def test_a_review_keeps_what_it_does_not_know(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"id": "a", "question": "?", "relevant": ["2021-04-02.md"], "mood": "good"}
    (here.folder / "golden.jsonl").write_text(json.dumps(row) + "\n")
    typed(monkeypatch, "y")
    here.run("golden", "review", "golden.jsonl")
    assert json.loads((here.folder / "golden.jsonl").read_text()) == {**row, "made_by": "reviewed"}


def test_two_who_review_a_file_lose_no_decision(here: Place) -> None:
    file = here.folder / "golden.jsonl"
    rows_ = [{"id": str(number), "question": f"{number}?", "relevant": ["2021-04-02.md"]} for number in range(4)]
    file.write_text("".join(json.dumps({**row, "mood": float("nan")}) + "\n" for row in rows_))
    one, other = Review.of(file), Review.of(file)
    first, second, third, fourth = one.waiting()
    one.drop(first)
    other.drop(fourth)
    other.accept(first)
    one.accept(second)
    assert [question.id for question in read(file)] == ["1", "2"]
    assert [question.id for question in Review.of(file).waiting()] == ["2"] == [third.id]


def test_a_folder_of_judgements_is_not_reviewed(here: Place) -> None:
    assert "takes a file of JSON lines" in here.run("golden", "review", str(here.folder)).err


# ── written by a language model ──────────────────────────────────────────────────────────────────────────
@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as server:
        yield server


@pytest.fixture
def served(place: Place, stub: Stub) -> Place:
    server = f'[models.w]\nprovider = "openai-compatible"\nbase_url = "{stub.v1}"\nmodel = "w"\n'
    place.settings(f'{collections({"notes": "notes"})}\n{server}\n[synthesis]\nmodel = "w"\n')
    return indexed(place, {f"{day}.md": f"{text} {FILLER} {FILLER}" for day, text in ENTRIES.items()})


def reply(question: str, quote: Callable[[str], str]) -> Callable[[dict[str, Any]], str]:
    """A reply in the form asked for; `…` in the question becomes what the passage's header says."""

    def answer(body: dict[str, Any]) -> str:
        code, passage = body["messages"][-1]["content"].split("\n", 1)
        return f'QUESTION: {question.replace("…", code.split()[1])}\n**ANSWER:** so\nQUOTE: "{quote(passage)}"\n'

    return answer


def first_words(passage: str) -> str:
    return " ".join(passage.split()[:6])


def test_a_quarter_is_written_by_the_model_with_quotations_that_stand_in_the_passage(served: Place, stub: Stub) -> None:
    stub.default_answer = reply("What became of …?", first_words)
    ended = served.run("golden", "make", "--llm", "--count", "8", "--out", "made.jsonl", "--json")
    assert ended.code == 0
    assert ended.json["kinds"]["llm"] == 2 == len(stub.chats)
    written = [question for question in read(served.folder / "made.jsonl") if question.kind == "llm"]
    for question in written:
        assert (question.made_by, question.answer) == ("w", "so")
        assert question.relevant[0].quote == "It rained all day and nothing"
    assert len({question.relevant[0].path for question in written}) == 2


def test_replies_that_cannot_be_used_are_counted_by_reason(served: Place, stub: Stub) -> None:
    stub.default_answer = reply("What does the passage say?", first_words)
    ended = served.run("golden", "make", "--llm", "--kinds", "llm", "--count", "2")
    assert ended.code == 1
    assert "4 replies of w were not used: it speaks of the passage" in ended.err
    stub.default_answer = reply("What is so?", lambda _: "words that stand nowhere")
    ended = served.run("golden", "make", "--llm", "--count", "8", "--out", "made.jsonl")
    assert ended.code == 0
    assert "its quotation does not stand in the passage" in ended.err
    assert "w wrote 2 questions too few" in ended.err


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("The answer is: The answer is: The answer is:", "it says the same twice"),
        ("It rained all day and nothing", "it copies the passage"),
        ("What is the answer to the question?", "it speaks of the passage"),
        ("What became of it?", "it asks what another asks"),
        ("", "it holds no question"),
    ],
)
def test_what_a_weak_model_writes_is_no_question(served: Place, stub: Stub, question: str, why: str) -> None:
    stub.default_answer = reply(question, first_words)
    ended = served.run("golden", "make", "--llm", "--count", "8", "--out", "made.jsonl", "--json")
    assert any(why in note for note in ended.json["notes"])
    assert ended.json["kinds"].get("llm", 0) == ("another" in why)


def test_a_quotation_of_everything_or_nothing_is_none(served: Place, stub: Stub) -> None:
    for quote, why in (
        (lambda passage: passage.partition("\n")[0] * 9, "over 400"),
        (lambda _: "so", "quotes nothing"),
    ):
        stub.default_answer = reply("What became of it?", quote)
        assert why in served.run("golden", "make", "--llm", "--kinds", "llm", "--count", "1").err


def test_a_model_that_writes_no_question_is_soon_asked_no_more(served: Place, stub: Stub) -> None:
    stub.default_answer = "The answer is:\n\nThe answer is:"
    ended = served.run("golden", "make", "--llm", "--kinds", "llm", "--count", "40")
    assert (ended.code, len(stub.chats)) == (1, min(8, len(ENTRIES)))
    assert "w wrote no question that can be used" in ended.err
    assert ("asked no more" in ended.err) == (len(ENTRIES) >= 8)


def test_a_model_that_fails_leaves_those_made_by_rule(served: Place, stub: Stub) -> None:
    stub.missing = {"w"}
    ended = served.run("golden", "make", "--llm", "--count", "8", "--out", "made.jsonl")
    assert ended.code == 3
    assert "2 questions were not written" in ended.err
    assert len(read(served.folder / "made.jsonl")) == 6
    assert served.run("golden", "make", "--llm", "--kinds", "llm", "--out", "other.jsonl").code == 1


def test_nothing_in_a_passage_can_close_its_fence(served: Place, stub: Stub) -> None:
    stub.default_answer = reply("What became of it?", first_words)
    served.run("golden", "make", "--llm", "--kinds", "llm", "--count", "1", "--out", "-")
    (chat,) = stub.chats
    lines = str(chat.body["messages"][-1]["content"]).splitlines()
    assert [line for line in lines if line.startswith("--- ")] == [lines[0], lines[-1]]


def test_rules_ask_no_model(served: Place, stub: Stub) -> None:
    assert served.run("golden", "make", "--count", "4", "--out", "-").code == 0
    assert stub.requests() == []


def test_a_template_of_ones_own_is_used(served: Place, stub: Stub, tmp_path: Path) -> None:
    own = served.folder / "mine"
    own.mkdir()
    text = "---\nvariables: [passage]\n---\n=== system ===\nAsk in rhyme.\n=== user ===\n{passage}\n"
    (own / "golden.md").write_text(text)
    stub.default_answer = reply("What became of it?", first_words)
    more = ("--set", "synthesis.prompts_dir=mine")
    assert served.run("golden", "make", "--llm", "--kinds", "llm", "--count", "1", "--out", "-", *more).code == 0
    assert stub.chats[0].body["messages"][0]["content"] == "Ask in rhyme."


def test_a_name_too_long_for_the_disk_is_wrong_usage(here: Place) -> None:
    for command in (("golden", "check"), ("evaluate", "--golden"), ("tune", "--golden"), ("backup",)):
        ended = here.run(*command, "x" * 300)
        assert ended.code == 2
        assert "is too long" in ended.err
        assert "Unexpected" not in ended.err
