from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import WhereinError
from tasks.context import before, header, most_tokens, title
from tasks.read import parse
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords
from wherein.pipelines.query import QueryOptions, search
from wherein.pipelines.shape import clamped, shape_of

NOTE = b"---\ntitle: Trip to Rome\n---\nale bee\n\n## Food\n\ncod dew\n"


def made(text: str, name: str = "", heading: str | None = None, day: str | None = None, tokens: int = 64) -> str:
    return header(text, name, heading, day, str.split, tokens)


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a/2021 plan.md", b"---\ntitle: The plan\n---\n# Other\n", "The plan"),
        ("a/2021 plan.md", b"text\n\n# Other\n", "Other"),
        ("a/2021 plan.md", b"## A section is no title\n", "2021 plan"),
        ("a/notes.v2.txt", b"# not markdown\n", "notes.v2"),
        ("Zoe\u0308.txt", b"x", "Zo\u00eb"),
    ],
)
def test_a_title_is_the_front_matter_s_else_a_heading_else_the_name(path: str, data: bytes, expected: str) -> None:
    assert title(path, parse(data, Path(path).suffix)) == expected


def test_day_title_and_headings_stand_in_one_line_before_the_text() -> None:
    assert made("ale", "Plan", "Plan > Food", "2021-03-04") == "2021-03-04 Plan > Food"
    assert before("2021-03-04 Plan", "ale") == "2021-03-04 Plan\n\nale"


def test_nothing_is_said_twice() -> None:
    assert made("# Plan\n\nale", "Plan", "Plan", None) == ""
    assert made("ale", "2021-03-04", None, "2021-03-04") == "2021-03-04"
    assert made("Plans are made", "Plan", None, None) == "Plan"
    assert before("", "ale") == "ale"


def test_a_long_line_loses_its_outer_headings_first_then_its_end() -> None:
    assert made("x", "Plan", "One two > Three four > Five six", None, tokens=8) == "Plan > Five six"
    assert made("x", "ab cd ef gh ij kl", None, "2021-03-04", tokens=6).startswith("2021-03-04 ab")
    assert made("x", "Plan", None, None, tokens=2) == ""


@given(st.text(), st.text(), st.text(), st.integers(0, 20))
def test_a_header_is_one_line_within_its_tokens(text: str, name: str, heading: str, tokens: int) -> None:
    found = made(text, name, heading, "2021-03-04", tokens)
    assert len(found.splitlines()) <= 1
    assert len(found.split()) <= max(0, tokens - 2)
    assert len(found) <= 8 * tokens


def test_a_small_window_gives_a_quarter_at_most() -> None:
    assert [most_tokens(room) for room in (0, 14, 510)] == [0, 3, 64]


# ── an index of files with headings ──────────────────────────────────────────────────────────────
@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashedWords:
    found = HashedWords()
    use(monkeypatch, found)
    return found


def folder(place: Path, **files: bytes) -> Folder:
    made = Folder(place, context="headings")
    for name, data in files.items():
        made.write(name.replace("__", "."), data)
    return made


def hit(place: Folder, query: str, mode: str, **options: Any) -> Any:
    return search(place.workspace, query, QueryOptions(mode=mode, k=5, **options)).hits[0]


def test_only_what_is_embedded_and_counted_has_the_header(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, a__md=NOTE)
    notes.ingest()
    assert "Trip to Rome > Food\n\ncod dew" not in embedder.sent_texts  # one chunk, which says "Food" itself
    assert embedder.sent_texts == ["Trip to Rome\n\nale bee\n\n## Food\n\ncod dew"]
    found = hit(notes, "rome", "keyword")
    assert (found.text, found.char_start) == ("ale bee\n\n## Food\n\ncod dew", 28)
    assert search(notes.workspace, '"Rome"', QueryOptions(mode="keyword")).hits == ()


def test_a_rename_costs_an_embedding_only_where_the_header_changes(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, a__md=NOTE, b__txt=b"elm fir", c__txt=b"gum")
    notes.ingest()
    (notes.files / "a.md").rename(notes.files / "moved.md")
    (notes.files / "c.txt").rename(notes.files / "2021-03-04.txt")
    report = notes.ingest()
    assert report.files["renamed"] == 2
    assert report.embedded == 1
    assert embedder.sent_texts[-1] == "2021-03-04\n\ngum"
    (notes.files / "b.txt").touch()
    assert notes.ingest().embedded == 0


def test_swapped_files_cost_what_their_names_put_before_them(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, a__txt=b"elm", b__txt=b"gum")
    notes.ingest()
    notes.write("a.txt", b"gum")
    notes.write("b.txt", b"elm")
    report = notes.ingest()
    assert (report.files["changed"], report.embedded) == (2, 2)


def test_one_text_in_two_files_is_found_by_the_title_of_either(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, ale__txt=b"gum", bee__txt=b"gum", cod__txt=b"dew")
    notes.ingest()
    by_words, by_meaning = hit(notes, "bee", "keyword"), hit(notes, "bee gum", "vector")
    assert (by_words.path, [place.path for place in by_words.also_in]) == ("ale.txt", ["bee.txt"])
    assert (by_meaning.path, [place.path for place in by_meaning.also_in]) == ("ale.txt", ["bee.txt"])
    alone = hit(notes, "bee gum", "vector", path="bee.txt")
    assert alone.scores.vector == by_meaning.scores.vector
    assert alone.scores.vector > hit(notes, "bee gum", "vector", path="ale.txt").scores.vector
    assert search(notes.workspace, "bee", QueryOptions(mode="keyword", path="ale.txt")).hits == ()


def test_where_a_file_s_date_comes_from_costs_a_rebuild(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, a__txt=b"elm")
    notes.ingest()
    toml = notes.place / "wherein.toml"
    text = toml.read_text()
    toml.write_text(text.replace('"content"]', '"content", "mtime"]'))
    notes.__dict__.pop("workspace")
    assert notes.ingest().embedded == 0
    toml.write_text(text.replace('"content"]', '"mtime"]'))
    notes.__dict__.pop("workspace")
    with pytest.raises(WhereinError, match="--rebuild"):
        notes.ingest()


def test_a_chunk_with_its_header_fits_the_window(tmp_path: Path, embedder: HashedWords) -> None:
    notes = folder(tmp_path, a__txt=b"elm")
    toml = notes.place / "wherein.toml"
    toml.write_text(toml.read_text().replace("size = 16", "size = 500"))
    chunking = shape_of(notes.workspace, "c")["chunking"]
    assert chunking["size"] + chunking["header"]["tokens"] == 510
    (note,) = clamped(notes.workspace, shape_of(notes.workspace, "c"))
    assert "chunking.context takes up to 64" in note
    assert "chunks of 446" in note
