"""`wherein ingest` over several collections: who ends how, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from store.errors import BUSY, PARTIAL, WhereinError
from store.records import Problem
from tests.unit.cli_workspace import Place, collections, place
from wherein.pipelines.ingest import EVENTS, IngestReport

__all__ = ["place"]
Outcome = IngestReport | WhereinError
GONE = WhereinError("The root is gone.", kind="root")


def report(name: str, *problems: Problem, **counts: int) -> IngestReport:
    files = {event: counts.get(event, 0) for event in EVENTS}
    return IngestReport(name, 3, files, {"added": 0, "removed": 0, "total": 4}, 0, 0, problems, (), 0.5)


def answering(monkeypatch: pytest.MonkeyPatch, outcomes: dict[str, Outcome]) -> list[Any]:
    """Let the pipeline end so for each collection; the options it was called with."""
    seen: list[Any] = []

    def run(
        _workspace: object, name: str, options: object, progress: Callable[[str, int, int, float], None]
    ) -> IngestReport:
        seen.append(options)
        progress(name, 1, 2, 0.5)
        outcome = outcomes[name]
        if isinstance(outcome, WhereinError):
            raise outcome
        return outcome

    monkeypatch.setattr("wherein.pipelines.ingest.ingest", run)
    return seen


BAD = Problem("bad.txt", "binary", "it is binary")


@pytest.mark.parametrize(
    ("one", "two", "code"),
    [
        (report("one"), report("two"), 0),
        (report("one"), report("two", BAD), PARTIAL),
        (report("one", BAD), report("two", BAD), PARTIAL),
        (GONE, GONE, 1),
        (GONE, report("two"), PARTIAL),
        (WhereinError("Busy.", kind="busy", code=BUSY), WhereinError("Busy.", kind="busy", code=BUSY), BUSY),
        (WhereinError("Busy.", kind="busy", code=BUSY), GONE, PARTIAL),
    ],
)
def test_collections_that_end_alike_give_that_code_and_others_are_partial(
    place: Place, monkeypatch: pytest.MonkeyPatch, one: Outcome, two: Outcome, code: int
) -> None:
    place.settings(collections({"one": "notes", "two": "notes"}))
    answering(monkeypatch, {"one": one, "two": two})
    ended = place.run("ingest", "--json")
    assert ended.code == code
    assert [entry["collection"] for entry in ended.json] == ["one", "two"]
    assert ["error" in entry for entry in ended.json] == [isinstance(o, WhereinError) for o in (one, two)]
    assert place.run("ingest").code == code


def test_an_error_of_one_is_told_and_the_next_still_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.settings(collections({"one": "notes", "two": "notes"}))
    answering(monkeypatch, {"one": GONE, "two": report("two", added=2)})
    ended = place.run("ingest")
    assert ended.err == "one: The root is gone.\n"
    assert ended.out.startswith("two: 2 added")


def test_a_single_collection_fails_with_the_error_document(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, {"notes": GONE})
    ended = place.run("ingest", "--json")
    assert (ended.code, ended.json["error"]["kind"]) == (1, "root")


def test_an_unknown_collection_stops_before_any_is_begun(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = answering(monkeypatch, {"notes": report("notes")})
    assert place.run("ingest", "notes", "nosuch").code == 2
    assert seen == []


def test_flags_reach_the_pipeline(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = answering(monkeypatch, {"notes": report("notes")})
    place.run("ingest", "notes", "--verify", "--rebuild", "--forget", "--allow-deletes", "--wait", "2.5")
    place.run("ingest")
    asked, plain = seen
    assert (asked.verify, asked.rebuild, asked.forget, asked.allow_deletes, asked.wait_seconds) == (*[True] * 4, 2.5)
    assert not any((plain.verify, plain.rebuild, plain.forget, plain.allow_deletes, plain.wait_seconds, plain.dry_run))


def test_many_problems_are_shown_in_part_with_the_way_to_the_rest(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = [Problem(f"{n:02}\x1b.txt", "binary", "it is binary") for n in range(23)]
    answering(monkeypatch, {"notes": report("notes", *problems, skipped=23)})
    ended = place.run("ingest")
    assert ended.code == PARTIAL
    assert ended.err.count("it is binary") == 20
    assert "3 more: wherein files" in ended.err
    assert "\x1b" not in ended.err
    assert place.run("ingest", "--quiet").err == ""


def test_a_dry_run_says_what_it_would_cost(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    found = IngestReport(
        "notes", 0, dict.fromkeys(EVENTS, 0) | {"added": 2}, {"added": 0, "removed": 0, "total": 0}, 0, 0, (), (), 0.1,
        dry_run=True, estimate={"texts": 1200, "tokens": 250_000, "cost": 0.25},
    )  # fmt: skip
    answering(monkeypatch, {"notes": found})
    said = place.run("ingest", "--dry-run").out
    assert [part for part in ("2 added", "1,200 texts", "250,000 tokens", "0.25") if part not in said] == []
