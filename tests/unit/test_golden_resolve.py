"""Which files golden questions mean."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from tasks.evaluation.golden import Question, Relevant
from tasks.evaluation.golden_files import read
from tasks.evaluation.golden_resolve import resolve

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
PATHS = {"notes": ["a.md", "sub/b.md", "sub/c.txt", "c.md", "x/d.md", "y/d.md"], "old": ["a.md", "e.md"]}
ROOTS = {"notes": "/home/me/vault/notes", "old": "archive"}


def found(path: str, collection: str | None = None) -> Relevant | str:
    """The one file a path stands for, else why not."""
    asked = Question("q", "?", (Relevant(path, "quote", collection, 2),))
    (question,), problems = resolve([asked], PATHS, ROOTS)
    assert bool(problems) == (question.relevant[0].collection is None)
    return problems[0].reason if problems else question.relevant[0]


def test_a_path_below_the_root_is_that_file() -> None:
    assert found("sub/b.md") == found("./sub/b.md") == Relevant("sub/b.md", "quote", "notes", 2)


def test_a_path_from_above_the_root_is_that_file() -> None:
    expected = found("sub/b.md")
    for path in ("notes/sub/b.md", "vault/notes/sub/b.md", "/home/me/vault/notes/sub/b.md"):
        assert found(path) == expected
    assert found("archive/e.md") == found("old/e.md") == Relevant("e.md", "quote", "old", 2)


def test_folders_that_do_not_lead_to_the_root_do_not_count() -> None:
    assert found("elsewhere/e.md") == "is not indexed there, but as e.md of old"


def test_an_extension_may_be_left_out() -> None:
    assert found("sub/b") == found("notes/sub/b") == found("sub/b.md")


def test_a_stem_that_one_file_has_is_that_file() -> None:
    assert found("b") == found("sub/b.md")


def test_a_path_at_the_root_comes_before_a_stem_elsewhere() -> None:
    assert found("c") == Relevant("c.md", "quote", "notes", 2)


def test_what_several_files_answer_to_is_refused_with_their_names() -> None:
    assert found("d") == "could be x/d.md of notes, y/d.md of notes"
    assert found("a.md") == "could be a.md of notes, a.md of old"


def test_a_named_collection_decides() -> None:
    assert found("a.md", "old") == Relevant("a.md", "quote", "old", 2)
    assert found("a.md", "new") == "is said to be in the collection 'new', which is not read"
    assert found("sub/b.md", "old") == "is not indexed there, but as sub/b.md of notes"


def test_what_is_gone_is_told_and_kept() -> None:
    asked = Question("q", "?", (Relevant("a.md", collection="old"), Relevant("gone.md"), Relevant("")))
    (question,), problems = resolve([asked], PATHS)
    assert [(p.id, p.path, p.reason) for p in problems] == [
        ("q", "gone.md", "is not indexed"), ("q", "", "is not indexed"),
    ]  # fmt: skip
    assert question.relevant == (Relevant("a.md", collection="old"), Relevant("gone.md"), Relevant(""))


def test_a_decomposed_name_is_found_and_given_as_the_index_has_it() -> None:
    composed, decomposed = "caf\u00e9.md", normalize("NFD", "caf\u00e9.md")
    for asked, indexed in ((composed, decomposed), (decomposed, composed)):
        (question,), problems = resolve([Question("q", "?", (Relevant(asked),))], {"n": [indexed]})
        assert not problems
        assert question.relevant == (Relevant(indexed, collection="n"),)


def test_nothing_asked_and_nothing_indexed() -> None:
    assert resolve([], {}) == ([], [])
    assert len(resolve([Question("q", "?", (Relevant("a"),))], {})[1]) == 1


names = st.text("ab.é", min_size=1, max_size=4).filter(lambda name: name.strip("."))
relative = st.lists(names, min_size=1, max_size=3).map("/".join)


@given(st.sets(relative, min_size=1, max_size=8), st.data())
def test_every_indexed_path_stands_for_itself(paths: set[str], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(paths)))
    (question,), problems = resolve([Question("q", "?", (Relevant(path),))], {"n": paths}, {"n": "/a/b"})
    assert not problems
    assert question.relevant == (Relevant(path, collection="n"),)


def test_every_path_of_the_sample_is_found() -> None:
    journal = SAMPLE / "journal"
    paths = [path.name for path in journal.iterdir()]
    questions, problems = resolve(read(SAMPLE / "golden.jsonl"), {"mine": paths}, {"mine": str(journal)})
    assert problems == []
    assert {entry.collection for question in questions for entry in question.relevant} == {"mine"}
