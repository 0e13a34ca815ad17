"""`wherein search`: exit codes and what a person sees."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from store.records import Dropped, Evidence, Hit, Ranks, Scores, Signal
from store.records import Place as Elsewhere
from tests.unit.cli_workspace import Place, Terminal, place, publish
from tests.unit.hits import hit
from wherein.cli.passages import Marks, also_in, channels, snippet
from wherein.pipelines.options import QueryOptions, check, holds_word
from wherein.pipelines.wording import missing

__all__ = ["place"]
BOTH = Ranks(vector=1, keyword=2)


def evidence(*hits: Hit, **more: Any) -> Evidence:
    unsure = Signal(None, None, None, None)
    found = Evidence("pelican", "hybrid", {"notes": 1}, "strong", unsure, hits, Dropped(), (), (), (), 1.0)
    return replace(found, **more)


def finding(monkeypatch: pytest.MonkeyPatch, found: Evidence) -> list[Any]:
    seen: list[Any] = []

    def search(_workspace: object, query: str, options: object, **_: object) -> Evidence:
        seen.extend([query, options])
        return found

    monkeypatch.setattr("wherein.pipelines.query.search", search)
    return seen


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (evidence(hit("a pelican")), 0),
        (evidence(), 4),
        (evidence(hit("a pelican"), rerank_failed=True), 3),
        (evidence(rerank_failed=True), 4),
        (evidence(nearest=(hit("a heron"),), confidence="none"), 4),
    ],
)
def test_nothing_found_counts_before_a_failed_reranker(
    place: Place, monkeypatch: pytest.MonkeyPatch, found: Evidence, code: int
) -> None:
    finding(monkeypatch, found)
    ended = place.run("search", "pelican", "--json")
    assert (ended.code, place.run("search", "pelican").code) == (code, code)
    assert len(ended.json["hits"]) == len(found.hits)


def test_words_are_joined_and_flags_reach_the_pipeline(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = finding(monkeypatch, evidence())
    place.run(
        "search", "two", "words", "--mode", "vector", "--no-rerank", "-k", "4", "--per-source", "0", "--path", "a/*",
        "--collection", "x", "--collection", "y", "--since", "2023", "--until", "2024-02", "--on", "2024-01-01",
    )  # fmt: skip
    query, options = seen
    assert query == "two words"
    assert (options.mode, options.rerank, options.k, options.per_source, options.path) == ("vector", False, 4, 0, "a/*")
    assert (options.collections, options.since, options.until) == (("x", "y"), "2023", "2024-02")
    seen.clear()
    place.run("search", "--", "-x")
    assert (seen[0], seen[1].rerank, seen[1].k) == ("-x", None, None)


def test_what_may_be_recorded_is_the_exit_code_and_a_digest_of_the_query(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def record(name: str, _workspace: object, function: Any, code: Any, _note: object, digest: str) -> Evidence:
        found: Evidence = function()
        seen.append((name, code(found), digest))
        return found

    monkeypatch.setattr("wherein.cli.run.as_flow_run", record)
    finding(monkeypatch, evidence())
    place.run("search", "secret")
    place.run("search", "other")
    (name, code, first), (_, _, second) = seen
    assert (name, code) == ("search", 4)
    assert re.fullmatch("[0-9a-f]{8}", first)
    assert first != second


def test_a_hit_is_shown_with_place_date_channels_heading_and_passage(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = replace(
        hit("A pelican\x1b[31m came.", "dir/a\x1b.md", line=12, date="2024-03-01"),
        ranks=BOTH, heading="Birds > Sea", scores=Scores(final=0.75), also_in=(Elsewhere("notes", "copy.md", 3, 3),),
    )  # fmt: skip
    finding(monkeypatch, evidence(shown, notes=("read as March",)))
    ended = place.run("search", "pelican")
    assert ended.out == (
        "1. dir/a␛.md:12  2024-03-01  [vector+bm25]  0.750\n   Birds > Sea\n   A pelican␛[31m came.\n"
        "   also in copy.md:3\n"
    )
    assert ended.err == "note: read as March\n"


@pytest.mark.parametrize(
    ("heading", "text", "shown"),
    [
        ("Sunday", "# Sunday\n\nA pelican.", "   # Sunday\n   A pelican.\n"),
        ("Sunday", "\nSunday\n======\nA pelican.", "   Sunday\n   ======\n   A pelican.\n"),
        ("Sunday", "# Sundays", "   Sunday\n   # Sundays\n"),
        ("May > Sunday", "## Sunday", "   May > Sunday\n   ## Sunday\n"),
    ],
)  # fmt: skip
def test_a_heading_that_the_passage_begins_with_is_not_said_twice(
    place: Place, monkeypatch: pytest.MonkeyPatch, heading: str, text: str, shown: str
) -> None:
    finding(monkeypatch, evidence(replace(hit(text), heading=heading)))
    assert place.run("search", "pelican").out.partition("\n")[2] == shown


def test_an_old_index_is_told_and_a_fresh_one_is_not(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, said in ((59.0, ""), (7201.0, "note: the index was refreshed 2 hours ago\n"), (None, "")):
        finding(monkeypatch, evidence(hit("a pelican"), index_age_seconds=age))
        assert place.run("search", "pelican").err == said


def test_a_long_line_is_not_folded_where_it_is_piped(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, evidence(hit("pelican", "a/" * 150 + "b.md")))
    assert "a/" * 150 + "b.md:1" in place.run("search", "pelican").out


def test_colours_are_for_terminals_that_want_them(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for no_color, coloured in (("", True), ("1", False)):
        finding(monkeypatch, evidence(hit("a pelican")))
        monkeypatch.setenv("NO_COLOR", no_color)
        screen = Terminal()
        monkeypatch.setattr(sys, "stdout", screen)
        place.run("search", "pelican")
        assert ("\x1b[" in screen.getvalue()) == coloured


def test_of_many_nearest_passages_the_first_are_shown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(hit(f"heron {n}", f"{n}.md", rank=n) for n in range(1, 9))
    finding(monkeypatch, evidence(nearest=many, confidence="none"))
    out = place.run("search", "pelican").out
    assert ("heron 5" in out, "heron 6" in out, "3 more with -v." in out) == (True, False, True)
    assert "heron 8" in place.run("search", "pelican", "-v").out
    assert len(place.run("search", "pelican", "--json").json["nearest"]) == 8


def test_nearest_passages_are_not_shown_as_hits(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, evidence(nearest=(hit("a heron"),), confidence="none"))
    out = place.run("search", "pelican").out
    assert out.startswith("Not in your files")
    assert "a heron" in out


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        (Ranks(vector=1), "[vector-only]"),
        (Ranks(keyword=1), "[bm25-only]"),
        (BOTH, "[vector+bm25]"),
        (Ranks(date=1), "[date-only]"),
        (Ranks(vector=1, keyword=1, date=1), "[vector+bm25+date]"),
    ],
)
def test_channels_are_named_by_who_found_the_passage(ranks: Ranks, shown: str) -> None:
    assert channels(replace(hit("x"), ranks=ranks)) == shown


def test_words_of_the_query_are_marked_in_their_other_forms() -> None:
    text = "The pelicans saw a Pelican; no pelicanry."
    assert [text[start:end] for start, end in Marks("pelican").spans(text)] == ["pelicans", "Pelican"]
    assert Marks("what is the").spans("") == []


def test_a_snippet_shows_where_the_words_are() -> None:
    text = "filler words here " * 100 + "then the pelican met another pelican " + "more filler words " * 100
    shown = snippet(text, Marks("pelican"))
    assert shown.count("pelican") == 2
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 400


@settings(deadline=None)
@given(st.text(alphabet="ab \n.é", max_size=900))
def test_a_snippet_is_a_stretch_of_the_passage(text: str) -> None:
    shown = snippet(text, Marks("ab")).removeprefix("… ").removesuffix(" …")
    assert "".join(shown.split()) in "".join(text.split())


@pytest.mark.parametrize(("count", "shown"), [(6, 6), (7, 6), (80, 6)])
def test_places_of_a_text_found_all_over_do_not_bury_the_rest(count: int, shown: int) -> None:
    everywhere = tuple(Elsewhere("notes", f"{n}.txt", 1, 1) for n in range(count)) * 2
    places = also_in(replace(hit("a.txt"), also_in=everywhere))
    assert len(places) == shown
    assert (places[-1] == f"{count - 5} other places") == (count > 6)


def test_words_found_nowhere_are_named_up_to_twenty() -> None:
    assert missing([str(n) for n in range(20)])[-1] == "no passage holds '19'"
    assert missing([str(n) for n in range(1020)])[-1] == "nor 1,000 other words of the query"
    assert missing([]) == []


@pytest.mark.parametrize("query", ["", " \t", "word " * 20_000])
def test_a_blank_query_or_a_whole_book_is_wrong_usage(query: str) -> None:
    with pytest.raises(WhereinError) as caught:
        check(query, QueryOptions())
    assert caught.value.code == USAGE


@pytest.mark.parametrize("query", ["!!! ???", '""', "*", "(", "\u200b …"])
def test_a_query_without_a_word_finds_nothing_and_says_so(place: Place, query: str) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    ended = place.run("search", query, "--json")
    assert (ended.code, ended.json["hits"]) == (4, [])
    assert "the query holds no word" in ended.json["notes"]


@pytest.mark.parametrize("query", ["c", "7", "€", "🦆", "猫", "C++"])
def test_one_sign_that_means_something_is_a_query(query: str) -> None:
    assert check(query, QueryOptions()) == query
    assert holds_word(query)


def test_small_words_that_no_passage_holds_are_not_told(place: Place) -> None:
    place.settings('[collections.notes]\npath = "notes"\n')
    publish(place.index(), ("a.txt", "a pelican"))
    ended = place.run("search", "our quokka and those of ours before us", "--mode", "keyword", "--json")
    assert ended.json["notes"] == ["no passage holds 'quokka'"]
