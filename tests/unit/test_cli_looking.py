"""`status`, `files`, `show` and `keywords` on indexes made by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import writer
from store.records import Problem
from tests.unit.cli_workspace import Place, collections, left_out, place, publish
from wherein.pipelines.keywords import _words

__all__ = ["place"]


def status(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = place.run("status", "--json").json["collections"][0]
    return found


def test_status_counts_states_and_keeps_waiting_files_apart(place: Place) -> None:
    publish(
        place.index(),
        ("a.txt", "pelican"),
        ("blank.txt", " "),
        pending=(Problem("new.txt", "unreachable", "no model"),),
    )
    with writer.opened(place.index(), "notes") as index:
        index.stage([left_out("bin.txt")])
        index.publish({"embedding": {"fingerprint": "f"}, "dates": []}, 2)
    found = status(place)
    assert found["files"] == {"indexed": 1, "failed": 0, "empty": 1, "skipped": 1, "pending": 1}
    assert (found["chunks"], found["generation"], found["languages"]) == (1, 2, {"en": 1})
    assert [problem["path"] for problem in found["problems"]] == ["bin.txt", "new.txt"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", found["refreshed_at"])


def test_status_before_the_first_run_says_so(place: Place) -> None:
    found = status(place)
    assert (found["generation"], found["age_seconds"], found["interrupted_run"]) == (None, None, None)
    assert "wherein ingest notes" in place.run("status").out


def test_status_tells_a_run_that_died_from_one_that_goes_on(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    with writer.opened(place.index(), "notes") as index:
        index.begin(["b.txt"])
        assert (status(place)["writing"], status(place)["interrupted_run"]) == (True, None)
    assert status(place)["interrupted_run"]
    assert "did not end" in place.run("status").out


def test_a_damaged_catalog_does_not_hide_the_other_collection(place: Place) -> None:
    place.settings(collections({"notes": "notes", "other": "notes"}))
    publish(place.index("other"), ("a.txt", "pelican"))
    place.index().mkdir(parents=True)
    (place.index() / "catalog.sqlite").write_bytes(b"no database" * 100)
    ended = place.run("status", "--json")
    assert ended.code == 3
    first, second = ended.json["collections"]
    assert "rebuild" in first["error"]
    assert second["files"]["indexed"] == 1


def test_status_never_blocks_a_writer(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    before = (place.index() / "lock").stat().st_mtime_ns
    status(place)
    assert (place.index() / "lock").stat().st_mtime_ns == before


def test_files_are_listed_by_collection_then_path_with_their_dates(place: Place) -> None:
    place.settings(
        collections({"notes": "notes", "other": "notes"}) + 'dates = ["name"]\n[workspace]\ntimezone = "UTC"'
    )
    publish(place.index("other"), ("z.txt", "pelican"))
    publish(place.index(), ("b.txt", "pelican"), ("a.txt", "heron"))
    rows = place.run("files", "--json").json
    assert [(row["collection"], row["path"]) for row in rows] == [
        ("notes", "a.txt"), ("notes", "b.txt"), ("other", "z.txt")
    ]  # fmt: skip
    assert [(row["date"], row["date_from"]) for row in rows[1:]] == [("2023-11-15", "mtime"), (None, None)]
    assert [row["path"] for row in place.run("files", "--json", "--collection", "other").json] == ["z.txt"]


def test_files_can_be_narrowed_to_a_state(place: Place) -> None:
    publish(
        place.index(), ("a.txt", "pelican"), ("b.txt", "heron"), ("blank.txt", ""),
        pending=(Problem("b.txt", "unreachable", "no model"), Problem("new.txt", "unreachable", "no model")),
    )  # fmt: skip
    rows = place.run("files", "--json", "--state", "pending").json
    assert [(row["path"], row["chunks"], row["reason"]) for row in rows] == [
        ("b.txt", 1, "no model"), ("new.txt", 0, "no model")
    ]  # fmt: skip
    assert [row["path"] for row in place.run("files", "--json", "--state", "empty").json] == ["blank.txt"]
    assert place.run("files", "--json", "--state", "failed").json == []


@pytest.mark.parametrize(
    ("count", "said"), [(0, ""), (1, "notes: 1 more file is left"), (1200, "1,200 more files are")]
)
def test_files_left_out_by_a_rule_are_told_where_they_could_be_looked_for(place: Place, count: int, said: str) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    with writer.opened(place.index(), "notes") as index:
        index.finish([], [], 1, count)
    for arguments in ((), ("--state", "skipped")):
        assert said in place.run("files", *arguments).err
        assert bool(place.run("files", *arguments).err) == bool(count)
    assert place.run("files", "--state", "indexed").err == ""


@pytest.mark.parametrize("text", ["one\r\ntwo\rthree\n\n", "no newline", "\t tab \x1b[0m", "déjà 👩‍👧\u2028"])
def test_show_prints_the_text_and_nothing_else(place: Place, text: str) -> None:
    publish(place.index(), ("a.txt", text))
    assert place.run("show", "a.txt").out.encode() == text.encode()
    assert place.run("show", "a.txt", "--json").json["text"] == text


def test_show_with_a_line_prints_the_passages_that_cover_it(place: Place) -> None:
    publish(place.index(), ("a.txt", "one\ntwo\nthree\n\nfive", ((0, 7), (4, 13), (15, 19))))
    assert place.run("show", "a.txt:1").out == "one\ntwo"
    assert place.run("show", "a.txt:2").out == "one\ntwo\nthree"
    assert place.run("show", "a.txt:5").out == "five"
    for line in ("0", "4", "6", "99999999999999999999"):
        assert place.run("show", f"a.txt:{line}").code == 4


def test_a_file_whose_whole_name_matches_wins_over_a_line(place: Place) -> None:
    publish(place.index(), ("a.txt", "plain"), ("a.txt:1", "odd"))
    assert place.run("show", "a.txt:1").out == "odd"
    assert place.run("show", "a.txt:1:1").out == "odd"


def test_names_are_matched_composed(place: Place) -> None:
    publish(place.index(), ("cafe\u0301.txt", "text"))
    for name in ("café.txt", "cafe\u0301.txt", "./café.txt"):
        assert place.run("show", name).out == "text"


def test_what_is_not_indexed_is_not_found(place: Place) -> None:
    publish(place.index(), ("a.txt", "text"))
    assert [place.run("show", name).code for name in ("b.txt", "b.txt:1", ":1", "a", "")] == [4] * 5


def test_a_name_in_two_collections_has_to_be_chosen(place: Place) -> None:
    place.settings(collections({"notes": "notes", "other": "notes"}))
    publish(place.index(), ("a.txt", "here"))
    publish(place.index("other"), ("a.txt", "there"))
    ended = place.run("show", "a.txt")
    assert (ended.code, ended.out) == (2, "")
    assert "--collection" in ended.err
    assert place.run("show", "a.txt", "--collection", "other").out == "there"


def keywords(place: Place, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = place.run("keywords", *arguments, "--json").json
    return found


def test_keywords_lists_files_with_most_occurrences_first(place: Place) -> None:
    publish(place.index(), ("a.txt", "owl"), ("b.txt", "owl owl\nOWL"), ("c.txt", "ówl"))
    found = keywords(place, "owl", "owl", "absent")
    assert found["terms"] == [
        {"term": "owl", "files": 3, "occurrences": 5}, {"term": "absent", "files": 0, "occurrences": 0}
    ]  # fmt: skip
    assert [(hit["path"], hit["line"]) for hit in found["hits"]] == [
        ("b.txt", 1), ("b.txt", 2), ("a.txt", 1), ("c.txt", 1)
    ]  # fmt: skip


def test_a_phrase_may_go_over_a_line_end(place: Place) -> None:
    publish(place.index(), ("a.txt", "the blue\r\n  whale sang\rblue\twhale"))
    assert [hit["line"] for hit in keywords(place, "Blue whale")["hits"]] == [1, 3]


def test_context_gives_the_lines_around(place: Place) -> None:
    publish(place.index(), ("a.txt", "1\n2\nowl\n4\n5"))
    assert keywords(place, "owl", "--context", "1")["hits"][0]["text"] == "2\nowl\n4"
    assert keywords(place, "owl", "--context", "9")["hits"][0]["text"] == "1\n2\nowl\n4\n5"


def test_keywords_need_no_spaces_around_them_where_a_script_has_none(place: Place) -> None:
    publish(place.index(), ("a.txt", "我喜欢猫头鹰。"), ("b.txt", "c++ and c, x_c"))
    assert [hit["path"] for hit in keywords(place, "猫头鹰")["hits"]] == ["a.txt"]
    assert keywords(place, "c")["terms"][0]["occurrences"] == 2
    assert keywords(place, "c++")["terms"][0]["occurrences"] == 1


def test_a_wrong_expression_or_a_blank_term_is_wrong_usage(place: Place) -> None:
    publish(place.index(), ("a.txt", "owl"))
    for arguments in (("--regex", "("), ("--regex", " "), (" ",), ("\u00ad",), ("owl", "--context", "-1")):
        assert place.run("keywords", *arguments).code == 2


@pytest.mark.parametrize("expression", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}"])
def test_an_expression_too_large_to_be_read_is_wrong_usage(place: Place, expression: str) -> None:
    publish(place.index(), ("a.txt", "owl"))
    ended = place.run("keywords", "--regex", expression)
    assert ended.code == 2
    assert "Unexpected" not in ended.err


def test_an_expression_that_would_take_for_ever_is_given_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wherein.pipelines.keywords.PATIENCE_SECONDS", 0.2)
    publish(place.index(), ("a.txt", "a" * 60))
    ended = place.run("keywords", "--regex", "(a*)*b")
    assert ended.code == 1
    assert "make it simpler" in ended.err


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(alphabet="ab é-_1 ", min_size=1).filter(str.strip), st.text(alphabet=". \n", min_size=1))
def test_a_keyword_is_found_wherever_it_stands_alone(term: str, around: str) -> None:
    from tasks.folding import fold, plain

    assert _words(term).search(fold(plain(f"{around}{term.strip()}{around}")))


def test_a_terminal_gets_no_escapes_from_names_or_texts(place: Place) -> None:
    publish(place.index(), ("a\x1b[2J.txt", "owl \x1b[31m red"))
    for arguments in (("files",), ("keywords", "owl"), ("status",)):
        ended = place.run(*arguments)
        assert "\x1b" not in ended.out + ended.err
