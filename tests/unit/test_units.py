"""What a hit stands for when golden questions judge it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.records import Place
from tasks.evaluation.golden import Question, Relevant
from tests.unit.hits import hit
from wherein.pipelines.evaluation import units

ASKED = Question("q", "?", (Relevant("a.md", collection="notes"), Relevant("b.md", collection="notes", score=2)))
QUOTED = Question("q", "?", (Relevant("a.md", "the tar would not dry", "notes"),))


def test_files_are_units_where_files_are_judged() -> None:
    assert units.judged(ASKED) == {"notes/a.md": 1, "notes/b.md": 2}
    ranking = units.ranking(ASKED, [hit("one", "c.md"), hit("two", "a.md"), hit("three", "a.md")])
    assert ranking == ["notes/c.md", "notes/a.md"]


def test_a_hit_stands_for_every_place_with_its_text() -> None:
    twin = replace(hit("same", "z.md"), also_in=(Place("notes", "b.md", 1, 1),))
    assert units.units(ASKED, twin) == ["notes/b.md"]


def test_a_passage_counts_only_if_it_holds_the_quotation() -> None:
    assert units.judged(QUOTED) == {"notes/a.md#1": 1}
    assert units.units(QUOTED, hit("And THE TAR\nwould not dry.", "a.md")) == ["notes/a.md#1"]
    assert units.units(QUOTED, hit("Something else.", "a.md", line=7)) == ["notes/a.md:7"]
    assert units.units(QUOTED, hit("the tar would not dry", "other.md", line=2)) == ["notes/other.md:2"]


def test_a_path_that_no_collection_has_matches_no_hit() -> None:
    nowhere = Question("q", "?", (Relevant("a.md"),))
    assert units.units(nowhere, hit("one", "a.md")) == ["notes/a.md"]
    assert units.judged(nowhere) == {"?/a.md": 1}


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("we said the tar would not dry at all", True),
        ("they say the tar would not", True),  # more than half, at the end
        ("would not dry. So we left it", True),  # more than half, at the start
        ("they say the tar", False),
        ("The tär would — not dry", True),
        ("", False),
        ("the tar would surely not dry", False),
    ],
)
def test_a_quotation_that_a_border_cuts_is_held_by_the_passage_with_its_larger_half(text: str, held: bool) -> None:
    assert units.holds(text, "the tar would not dry") is held


def test_scripts_without_spaces_are_compared_letter_by_letter() -> None:
    assert units.holds("昨日は雨が降った。", "雨が降った")
    assert not units.holds("昨日は晴れた。", "雨が降った")
