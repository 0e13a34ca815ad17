from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from store.errors import WhereinError
from tasks.evaluation import trec
from tasks.evaluation.measures import ndcg, recall, reciprocal_rank

ids = st.text(min_size=1, max_size=12)


@pytest.mark.parametrize(
    "id_", ["my notes/a b.md", "100%25 %.md", "a\tb\nc", "x\u00a0y\u2028z", "\udcff.md", "naïve/日記.md"]
)
def test_odd_ids_survive_in_one_column(id_: str) -> None:
    assert len(trec.encoded(id_).split()) == 1
    assert trec.decoded(trec.encoded(id_)) == id_


def test_plain_paths_stand_as_they_are() -> None:
    assert trec.encoded("journal/2021-02-07.md") == "journal/2021-02-07.md"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(
    st.dictionaries(ids, st.dictionaries(ids, st.integers(-2, 4), min_size=1, max_size=4), max_size=4),
    st.dictionaries(ids, st.lists(ids, min_size=1, max_size=8, unique=True), max_size=4),
    ids,
)
def test_what_is_written_is_read_again(
    tmp_path: Path, qrels: dict[str, dict[str, int]], rankings: dict[str, list[str]], tag: str
) -> None:
    trec.write_qrels(tmp_path / "qrels.txt", qrels)
    trec.write_run(tmp_path / "run.txt", rankings, tag)
    assert trec.read_qrels(tmp_path / "qrels.txt") == qrels
    assert trec.read_run(tmp_path / "run.txt") == rankings


def test_ir_measures_finds_in_the_files_what_the_measures_say(tmp_path: Path) -> None:
    qrels = {"q 1": {"a b.md": 2, "c.md": 1}, "q2": {"d%.md": 1}, "q3": {"a b.md": 1}}
    rankings = {"q 1": ["x.md", "c.md", "c.md", "a b.md"], "q2": ["d%.md", "x.md"], "q3": []}
    trec.write_qrels(tmp_path / "qrels.txt", qrels)
    trec.write_run(tmp_path / "run.txt", rankings, "hybrid rrf")
    found = ir_measures.calc_aggregate(
        [nDCG @ 10, R @ 2, RR @ 10],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run.txt"))),
    )
    for measure, name, cut in ((ndcg, nDCG @ 10, 10), (recall, R @ 2, 2), (reciprocal_rank, RR @ 10, 10)):
        ours = sum(measure(rankings[q], qrels[q], cut) for q in qrels) / len(qrels)
        assert found[name] == pytest.approx(ours, abs=1e-9)


def test_a_run_of_another_program_is_read_by_score_and_ties_as_trec_eval_does(tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text("q Q0 a 1 0.5 t\nq Q0 b 2 0.9 t\n\nq Q0 c 3 5e-1 t\n", encoding="utf-8")
    assert trec.read_run(run) == {"q": ["b", "c", "a"]}


@pytest.mark.parametrize("line", ["q 0 a", "q 0 a one", "q 0 a 1 more"])
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(f"q 0 a 1\n{line}\n", encoding="utf-8")
    with pytest.raises(WhereinError, match=r"Line 2 of .*qrels\.txt"):
        trec.read_qrels(path)


def test_an_empty_id_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    trec.write_qrels(path, {"q": {"a": 1}})
    with pytest.raises(ValueError, match="empty"):
        trec.write_qrels(path, {"q": {"a": 2, "": 1}})
    assert trec.read_qrels(path) == {"q": {"a": 1}}
