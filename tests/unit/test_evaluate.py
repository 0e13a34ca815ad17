"""Evaluation: the same search as anyone's, measured in arms, with what was lost and where."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.errors import WhereinError
from store.records import to_json
from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_files import write
from wherein import api
from wherein.pipelines.evaluation import arms
from wherein.pipelines.evaluation.arms import Arm
from wherein.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from wherein.pipelines.evaluation.evaluation import Evaluation
from wherein.pipelines.evaluation.losses import losses
from wherein.pipelines.evaluation.rows import Row
from wherein.pipelines.expansion import Expansion
from wherein.pipelines.options import Wording
from wherein.pipelines.query import QueryOptions, search
from wherein.workspace import Workspace

FILES = {
    "2021-03-04.md": "# Tea\n\nHe tasted tea for the first time, and liked it.",
    "2021-03-05.md": "The boat was tarred in the yard, and the tar would not dry.",
    "boats.md": "A list of boats: the Wren, the Tern, the Heron, and the Plover of RULE-A002.",
    "garden.txt": "Beans and marrows stood high; the hens got out again.",
    "twin a.txt": "The larch cost three hundred and twelve pounds.",
    "twin b.txt": "The larch cost three hundred and twelve pounds.",
}
QUESTIONS = [
    Question("tea", "When did he first drink tea?", (Relevant("2021-03-04.md"),), kind="fact"),
    Question("tar", "What would not dry?", (Relevant("2021-03-05.md", "the tar would not dry"),), kind="fact"),
    Question("rule", "RULE-A002", (Relevant("boats.md"),), kind="identifier"),
    Question("larch", "What did the larch cost?", (Relevant("twin b.txt"),), kind="fact"),
    Question("gone", "Where is the anvil?", (Relevant("anvil.md"),), kind="fact"),
    Question("none", "Who won the chess match?", (), answerable=False, kind="unanswerable"),
]
SETTINGS = '[collections.notes]\npath = "notes"\n[retrieval]\nk = 3\n'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    place = tmp_path_factory.mktemp("evaluate")
    (place / "notes").mkdir()
    for name, text in FILES.items():
        (place / "notes" / name).write_text(text, encoding="utf-8")
    (place / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    write(place / "golden.jsonl", QUESTIONS)
    found = Workspace.find(place)
    api.ingest(workspace=found)
    return found


@pytest.fixture(scope="module")
def done(workspace: Workspace) -> Evaluation:
    return evaluate(workspace, EvaluateOptions(workspace.folder / "golden.jsonl"))


def rows(done: Evaluation, arm: str = "current") -> dict[str, Row]:
    found = next(one for one in done.measured if one.arm.name == arm)
    return {row.id: row for row in found.rows}


def test_an_arm_shows_what_the_same_settings_show_anyone(workspace: Workspace, done: Evaluation) -> None:
    for arm in arms.matrix(reranked=True):
        if arms.fitted(arm):
            continue
        for question in QUESTIONS:
            found = search(arm.workspace(workspace), question.question, arm.options(QueryOptions()))
            row = rows(done, arm.name)[question.id]
            assert row.top == tuple(f"{hit.path}:{hit.line_start}" for hit in found.hits), (arm.name, question.id)
            assert (row.confidence, row.signal) == (found.confidence, found.signal.value)
            assert {each.stage for each in row.stages} == {each.stage for each in found.stages}


def test_every_question_has_a_row_in_every_arm(done: Evaluation) -> None:
    for one in done.measured:
        assert [row.id for row in one.rows] == [question.id for question in QUESTIONS]
        assert all(bool(row.measures) == row.answerable for row in one.rows)


def test_a_passage_of_equal_text_stands_for_the_file_that_was_asked_for(done: Evaluation) -> None:
    assert rows(done)["larch"].measures["RR@10"] == 1.0


def test_an_answer_whose_file_is_not_indexed_counts_as_missed_there(done: Evaluation) -> None:
    row = rows(done)["gone"]
    assert (row.outcome, row.measures["nDCG@10"], row.measures["R@k"]) == ("not indexed", 0.0, 0.0)
    assert "not in the index" in " ".join(losses(done.base.rows)["remedies"])
    assert any("1 path of the golden set is not indexed" in note for note in done.said)


def test_work_shared_between_arms_costs_each_of_them_what_it_took(done: Evaluation) -> None:
    for name in ("current", "hybrid minmax, rerank 1"):
        seconds = {each.stage: each.seconds for each in rows(done, name)["tea"].stages}
        assert seconds["rerank"] > seconds["fuse"] > 0
        assert seconds["vector"] > 0


def test_a_second_evaluation_reranks_no_pair_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("tasks.rerank.BundledScorer.logits", lambda *_: calls.append("called"))
    again = evaluate(workspace, EvaluateOptions(workspace.folder / "golden.jsonl"))
    assert again.measured
    assert calls == []


def test_the_base_has_no_difference_and_every_other_arm_has_one(done: Evaluation) -> None:
    report = done.to_json()
    assert [bool(arm["differences"]) for arm in report["arms"]] == [False] + [True] * (len(report["arms"]) - 1)
    verdicts = {arm["differences"]["nDCG@10"]["verdict"] for arm in report["arms"][1:]}
    assert verdicts == {"cannot tell"}  # five questions are too few for anything else
    json.dumps(report)


def test_a_set_on_which_every_arm_is_perfect_cannot_rank_settings(workspace: Workspace) -> None:
    write(workspace.folder / "easy.jsonl", [QUESTIONS[2]])
    done = evaluate(workspace, EvaluateOptions(workspace.folder / "easy.jsonl", (arms.parse("words:mode=keyword"),)))
    assert "cannot rank settings" in done.cannot_rank


def test_questions_about_no_indexed_file_are_refused(workspace: Workspace) -> None:
    write(workspace.folder / "foreign.jsonl", [QUESTIONS[4]])
    with pytest.raises(WhereinError, match="golden check"):
        evaluate(workspace, EvaluateOptions(workspace.folder / "foreign.jsonl"))


def test_questions_without_any_answer_are_refused_as_what_they_are(workspace: Workspace) -> None:
    write(workspace.folder / "negative.jsonl", [QUESTIONS[5]])
    with pytest.raises(WhereinError, match="no question that the files answer"):
        evaluate(workspace, EvaluateOptions(workspace.folder / "negative.jsonl"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rrf", "NAME:KEY=VALUE"),
        (":retrieval.k=3", "NAME:KEY=VALUE"),
        ("a:retrieval.k", "NAME:KEY=VALUE"),
        ("a:chunking.size=100", "shapes the index"),
        ("a:mode=fast", "mode=auto"),
        ("a:rerank=perhaps", "rerank=on"),
        ("a:k=0", "k=N"),
        ("a:since=2020", "mode=auto"),
    ],
)
def test_an_arm_that_is_none_is_refused_with_what_is_allowed(text: str, why: str) -> None:
    with pytest.raises(WhereinError, match=why) as caught:
        arms.parse(text)
    assert caught.value.code == 2


def test_an_impossible_setting_of_an_arm_is_refused_before_any_work(workspace: Workspace) -> None:
    bad = arms.parse("a:retrieval.fusion=sum")
    with pytest.raises(WhereinError, match=r"retrieval\.fusion"):
        evaluate(workspace, EvaluateOptions(workspace.folder / "golden.jsonl", (bad,)))


def test_two_arms_of_one_name_are_refused(workspace: Workspace) -> None:
    twice = (Arm("a", (("mode", "vector"),)), Arm("a", (("mode", "keyword"),)))
    with pytest.raises(WhereinError, match="Two arms"):
        evaluate(workspace, EvaluateOptions(workspace.folder / "golden.jsonl", twice))


def lost(stage: str, **more: Any) -> Row:
    row = Row("q", "?", "fact", True, "current", {}, {"unit": stage}, (), (), "strong", None, None, ())
    return replace(row, **more)


def test_losses_count_questions_by_the_furthest_step_of_any_of_their_answers() -> None:
    both = replace(lost("pool"), lost={"a": "pool", "b": "cap"})
    told = losses([both, lost("found"), lost("pool", least_pool=45), lost("pool")])
    assert told["stages"] == {"cap": 1, "pool": 2}
    assert (told["found"], told["missed"]) == (1, 3)
    assert told["kinds"] == {"fact": {"cap": 1, "pool": 2}}
    assert told["remedies"][0].startswith("2 of 4 never entered a pool: no reranking can bring them back; pools of 60")
    assert "per_source" in told["remedies"][1]


def test_rows_are_json(done: Evaluation) -> None:
    row = to_json(rows(done)["none"].to_json())
    assert row["outcome"] is None
    assert row["lost"] == []
    assert Path(row["top"][0].partition(":")[0]).name


def test_other_wordings_are_asked_for_once_for_all_arms_counted_and_named(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool, bool]] = []

    def expand(_workspace: object, _model: object, query: str, options: QueryOptions) -> Expansion:
        asked.append((query, options.expand, options.hyde))
        return Expansion((Wording("hens in the garden", passage=options.hyde),), failed="tea" in query)

    monkeypatch.setattr("wherein.pipelines.work.expand", expand)
    named = Workspace.find(workspace.folder, ["synthesis.model=ollama/writer"])
    wanted = [arms.parse(text) for text in ("e:expand=on,rerank=off", "h:hyde=on,rerank=off", "b:expand=on,hyde=on")]
    plain = arms.parse("p:rerank=off")
    found = evaluate(named, EvaluateOptions(workspace.folder / "golden.jsonl", (plain, *wanted)))
    assert sorted(asked) == sorted((q.question, kind, not kind) for q in QUESTIONS for kind in (True, False))
    assert [note for note in found.said if "other wordings" in note] == [
        "ollama/writer was asked 12 times for other wordings, of which 2 failed; each arm used the same answers"
    ]
    assert all("expand" in {stage.stage for stage in row.stages} for row in rows(found, "b").values())
    assert rows(found, "p")["tea"].pool < rows(found, "e")["tea"].pool + 1
    assert not any("expand" in {stage.stage for stage in row.stages} for row in rows(found, "p").values())
