"""What an answer is worth beside a golden question."""

from __future__ import annotations

import pytest

from store.records import Citation
from tasks.evaluation.answer_measures import MEASURES, measures
from tasks.evaluation.golden import Question, Relevant

ASKED = Question("q", "What did the larch cost?", (Relevant("a.md", collection="notes"),), answer="£312 in all.")
UNANSWERABLE = Question("n", "Who won?", answerable=False)


def cited(path: str, verified: bool | None = None) -> Citation:
    return Citation(1, "notes", path, 1, 1, None if verified is None else "a quotation of words", verified)


def test_a_right_answer_with_its_source_is_right_in_everything() -> None:
    found = measures(ASKED, "It cost £312, in all [1].", [cited("a.md")], refused=False)
    assert found == dict.fromkeys(MEASURES, 1.0)


def test_a_refusal_is_right_only_where_there_is_no_answer() -> None:
    assert measures(ASKED, "NOT IN YOUR FILES", [], refused=True) == dict.fromkeys(MEASURES, 0.0)
    assert measures(UNANSWERABLE, "NOT IN YOUR FILES", [], refused=True) == {MEASURES[0]: 1.0}
    assert measures(UNANSWERABLE, "Tom won [1].", [cited("a.md")], refused=False) == {MEASURES[0]: 0.0}


@pytest.mark.parametrize(
    ("citations", "precision"),
    [
        ([], 0.0),
        ([cited("b.md")], 0.0),
        ([cited("a.md"), cited("b.md")], 0.5),
        ([cited("a.md", True)], 1.0),
        ([cited("a.md", False)], 0.0),
    ],
)
def test_a_citation_is_good_if_its_file_is_relevant_and_its_quotation_not_wrong(
    citations: list[Citation], precision: float
) -> None:
    assert measures(ASKED, "£312", citations, refused=False)["citation precision"] == precision


@pytest.mark.parametrize(
    ("answer", "contained", "share"),
    [("312, In ALL", 1.0, 1.0), ("All in all 312.", 0.0, 1.0), ("It cost 312 pounds.", 0.0, 1 / 3), ("", 0.0, 0.0)],
)
def test_the_reference_is_looked_for_word_by_word(answer: str, contained: float, share: float) -> None:
    found = measures(ASKED, answer, [], refused=False)
    assert (found["reference contained"], found["reference words"]) == (contained, pytest.approx(share))


def test_without_a_reference_nothing_is_said_of_it() -> None:
    bare = Question("q", "?", (Relevant("a.md", collection="notes"),))
    assert set(measures(bare, "x", [], refused=False)) == {"right to answer", "citation precision"}
