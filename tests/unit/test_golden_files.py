"""Golden questions on disk."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_files import read, write
from tests.unit.corpora import data_folder

texts = st.text(min_size=1, max_size=12)
worded = texts.filter(lambda text: bool(text.strip()))
relevants = st.builds(Relevant, worded, st.none() | texts, st.none() | texts, st.integers(1, 4))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    relevant = tuple(draw(st.lists(relevants, max_size=3)))
    return Question(
        draw(texts), draw(worded), relevant, bool(relevant), draw(st.none() | st.text()), draw(st.text(max_size=5)),
        draw(st.text(max_size=5)),
    )  # fmt: skip


@given(st.lists(questions(), min_size=1, max_size=5, unique_by=lambda question: question.id))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_what_was_written_is_read_again(tmp_path: Path, made: list[Question]) -> None:
    write(tmp_path / "golden.jsonl", made)
    assert read(tmp_path / "golden.jsonl") == made


def test_a_text_that_is_half_a_character_survives(tmp_path: Path) -> None:
    made = [Question("a", "what is \ud800?", (Relevant("\udcff.md"),))]
    write(tmp_path / "golden.jsonl", made)
    assert read(tmp_path / "golden.jsonl") == made


def refused(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(WhereinError) as caught:
        read(path)
    assert (caught.value.kind, caught.value.code) == ("golden", USAGE)
    assert caught.value.message.endswith(".") and "\n" not in caught.value.message
    return caught.value.message


GOOD = '{"id": "a", "question": "q?", "relevant": ["a.md"]}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is not JSON"),
        ("[" * 50_000, "is not JSON"),
        ("[]", "is not an object"),
        ('{"question": " ", "relevant": ["a"]}', "has no question"),
        ('{"question": 7, "relevant": ["a"]}', "has no question"),
        ('{"question": "q"}', "names no relevant file"),
        ('{"question": "q", "relevant": []}', "names no relevant file"),
        ('{"question": "q", "relevant": ["a"], "answerable": false}', "though nothing answers it"),
        ('{"question": "q", "relevant": "a"}', "has 'a' under `relevant`"),
        ('{"question": "q", "relevant": [{"quote": "x"}]}', "under `relevant`"),
        ('{"question": "q", "relevant": [" "]}', "under `relevant`"),
        ('{"question": "q", "relevant": [{"path": "a", "quote": ""}]}', "as the quote of 'a'"),
        ('{"question": "q", "relevant": [{"path": "a", "score": 0}]}', "as the score of 'a'"),
        ('{"question": "q", "relevant": [{"path": "a", "score": true}]}', "has True as the score of 'a'"),
        (f'{{"question": "q", "relevant": [{{"path": "a", "score": {"9" * 400}}}]}}', "… as the score of 'a'"),
        (f'{{"question": "{"q" * 50_001}", "relevant": ["a"]}}', "asks in 50,001 characters"),
        ('{"question": "q", "relevant": ["a"], "answerable": "yes"}', "under `answerable`"),
        ('{"id": [], "question": "q", "relevant": ["a"]}', "under `id`"),
        (GOOD, "has the id 'a', as line 1 has"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, line: str, said: str) -> None:
    message = refused(tmp_path / "golden.jsonl", GOOD, "", line)
    assert message.startswith("Line 3 of ") and said in message


def test_what_is_not_needed_may_be_left_out_and_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('\ufeff{"question": "q?", "relevant": ["a.md"], "mood": 1}\r\n\r\n' + GOOD, encoding="utf-8")
    assert read(path) == [Question("line1", "q?", (Relevant("a.md"),)), Question("a", "q?", (Relevant("a.md"),))]


def test_a_file_that_is_empty_absent_or_not_text_is_refused(tmp_path: Path) -> None:
    assert "holds no question" in refused(tmp_path / "golden.jsonl", " ", "")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "short.gz").write_bytes(gzip.compress(b"{}")[:12])
    for name, said in (("absent", "Cannot read"), ("binary", "is not UTF-8"), ("short.gz", "is damaged")):
        with pytest.raises(WhereinError, match=said):
            read(tmp_path / name)


def test_nothing_is_written_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match="There is no folder"):
        write(tmp_path / "gone" / "golden.jsonl", [])


def judged_set(folder: Path, queries: list[dict[str, object]], qrels: str) -> Path:
    lines = "\n".join(json.dumps(query) for query in queries)
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_a_folder_gives_its_judged_queries_and_the_unanswerable_ones(tmp_path: Path) -> None:
    queries: list[dict[str, object]] = [
        {"_id": "1", "text": "one", "metadata": {"kind": "fact", "answers": ["x", "y"]}},
        {"_id": "2", "text": "of another split"},
        {"_id": "3", "text": "none", "metadata": {"kind": "unanswerable"}},
        {"_id": "4", "text": "judged, but 0"},
    ]
    qrels = "query-id\tcorpus-id\tscore\n1\tb b\t1\n1\ta\t1\n1\tc\t2\n4\ta\t0\n9\ta\t1\n"
    one, none = read(judged_set(tmp_path, queries, qrels))
    assert one.relevant == (Relevant("c", score=2), Relevant("a"), Relevant("b b"))
    assert (one.kind, one.answer, one.answerable) == ("fact", "x", True)
    assert (none.id, none.relevant, none.answerable) == ("3", (), False)


@pytest.mark.parametrize("row", ["1\ta", "1\ta\tx", "1 a 1"])
def test_a_judgement_that_is_wrong_is_named(tmp_path: Path, row: str) -> None:
    folder = judged_set(tmp_path, [{"_id": "1", "text": "one"}], f"query-id\tcorpus-id\tscore\n{row}\n")
    with pytest.raises(WhereinError, match=r"Line 2 of .*qrels\.tsv is not QUERY, DOCUMENT"):
        read(folder)


def test_a_folder_without_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match=r"holds no qrels\.tsv"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "count", "answerable"), [("pepys-diary", 43, 38), ("scifact", 300, 300), ("xquad-tr", 1190, 1190)]
)
def test_sets_of_judged_queries_are_read_whole(name: str, count: int, answerable: int) -> None:
    found = read(data_folder(name))
    assert (len(found), sum(question.answerable for question in found)) == (count, answerable)


def test_the_sample_is_read_whole() -> None:
    found = read(Path(__file__).resolve().parents[2] / "data" / "sample" / "golden.jsonl")
    assert len(found) == 99
    assert sum(not question.answerable for question in found) == 16
