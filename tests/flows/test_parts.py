"""The parts of the flows that need no server."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows import environment, limits, schedule
from flows.artifacts import BEGINNING, COPIED, ELIDED, begun, of_ingest, place, without_passages, without_quotations
from flows.results import digest
from flows.server import GREETING, find
from flows.server_process import Leases
from flows.states import Finished, combined, sentence
from store.errors import WhereinError
from store.records import Problem, StageTime
from wherein.pipelines.ingest import IngestReport
from wherein.schema import Settings
from wherein.workspace import Workspace

NEW_YORK = {"workspace": {"timezone": "America/New_York"}}


def _workspace(folder: Path, settings: dict[str, Any] | None = None) -> Workspace:
    return Workspace(folder, Settings.model_validate(settings or {}))


# ── pages ────────────────────────────────────────────────────────────────────────────────────────
def test_quotations_are_left_out_of_an_answer_and_the_rest_is_kept() -> None:
    answer = 'It is “seven, says the wall” [1], and "not eight at all" [2].'
    assert without_quotations(answer) == f"It is {ELIDED} [1], and {ELIDED} [2]."


@pytest.mark.parametrize("text", ["", "seven [1]", 'an inch is 1" long', "«never closed"])
def test_a_text_without_quotations_is_kept_as_it_is(text: str) -> None:
    assert without_quotations(text) == text


@given(st.text("xyz ", min_size=3), st.text("abc .,", max_size=40))
def test_what_is_quoted_never_stays(quoted: str, around: str) -> None:
    left = without_quotations(f"{around} “x{quoted.strip()}” {around}")
    assert not set("xyz") & set(left)
    assert left.startswith(around)
    assert left.endswith(around)


@given(st.text("abcdefghé \n", min_size=60), st.text("123 ", max_size=30))
def test_a_stretch_copied_from_a_passage_never_stays(passage: str, around: str) -> None:
    left = without_passages(f"{around}{passage[5:].upper()}{around}", ["other", f"before {passage}"])
    assert "".join(left.split()).startswith("".join(around.split()))
    if sum(not letter.isspace() for letter in passage[5:]) >= COPIED:
        assert "".join(left.split()) == "…".join(["".join(around.split())] * 2)


def test_a_few_words_that_a_passage_has_too_are_kept() -> None:
    answer = "The harbour master keeps the boats [1]."
    assert without_passages(answer, ["The harbour master keeps the keys.", ""]) == answer
    assert without_passages("", ["The harbour"]) == ""


def test_a_page_of_an_ingest_keeps_its_table_whole_whatever_a_message_holds() -> None:
    report = IngestReport(
        "notes", 3, {"added": 2, "changed": 0}, {"added": 5, "removed": 1, "total": 9}, 4, 1,
        (Problem("a|b.txt", "binary", "it is binary"),), (StageTime("scan", 0.5, 2),), 1.25,
    )  # fmt: skip
    page = of_ingest({"notes": report, "other": WhereinError("No | here.\nAt all.", kind="root")})
    assert "| notes | 3 | 2 added | 9 (+5 -1) | 4 | 1.25 |" in page
    assert "| other | No \\| here. At all. | | | | |" in page
    assert "- `a|b.txt`: binary" in page
    assert "| scan | 0.500 | 2 |" in page


def test_a_place_of_one_line_has_one_number() -> None:
    assert (place("a.md", 3, 3), place("a.md", 3, 5)) == ("a.md:3", "a.md:3-5")


def test_a_digest_tells_texts_apart_that_join_alike() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", "c") == digest("ab", "c")


# ── states ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (0, "COMPLETED", "Completed"),
        (1, "FAILED", "Failed"),
        (2, "FAILED", "Failed"),
        (3, "COMPLETED", "Partial"),
        (4, "COMPLETED", "NotFound"),
        (5, "CANCELLED", "Cancelled"),
        (6, "FAILED", "Failed"),
        (130, "CANCELLED", "Cancelled"),
    ],
)
def test_every_exit_code_has_its_state(code: int, kind: str, name: str) -> None:
    state = Finished(code, "One sentence.").state()
    assert (state.type.value, state.name, state.message) == (kind, name, "One sentence.")


def test_collections_that_ended_alike_give_that_code_and_others_partial() -> None:
    assert [combined(codes) for codes in ([0], [5, 5], [0, 1], [3, 0])] == [0, 5, 3, 3]


def test_an_error_nobody_foresaw_is_told_by_kind_and_place_alone() -> None:
    try:
        raise ValueError("words of a file")
    except ValueError as error:
        told = sentence(error)
    assert told.startswith("Unexpected ValueError in test_parts.py, line ")
    assert "words" not in told
    assert sentence(WhereinError("One sentence.", kind="x")) == "One sentence."


def test_prefect_is_told_no_words_of_an_error_nobody_foresaw() -> None:
    state = Finished(1, "Unexpected ValueError.", error=ValueError("words of a file")).state()
    assert isinstance(state.data, WhereinError)
    assert "words" not in repr(state)


@pytest.mark.parametrize(("error", "kept"), [(WhereinError("No.", kind="x"), False), (ValueError("No."), True)])
def test_a_failure_that_the_state_tells_is_not_logged_again_with_a_traceback(error: Exception, kept: bool) -> None:
    from prefect.logging import get_logger

    from flows import runner

    logger = get_logger("flow_runs")
    record = logger.makeRecord(logger.name, 40, "", 0, "It exited.", (), (type(error), error, None))
    assert runner.task("scan").name == "scan"
    assert bool(logger.filter(record)) is kept


# ── the clock ────────────────────────────────────────────────────────────────────────────────────
def _first(workspace: Workspace, moment: datetime) -> datetime:
    return anyio.run(schedule.first_after, schedule.cron(workspace), moment)


def test_the_next_run_is_read_in_the_zone_of_the_workspace_through_a_change_of_summer_time(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, {**NEW_YORK, "prefect": {"schedule": "0 7 * * *"}})
    before, after = datetime(2026, 3, 7, 12, tzinfo=UTC), datetime(2026, 3, 8, 12, tzinfo=UTC)
    assert schedule.told(_first(workspace, before)) == "2026-03-08 07:00 -04:00 (America/New_York)"
    assert schedule.told(_first(workspace, before - timedelta(hours=1))) == "2026-03-07 07:00 -05:00 (America/New_York)"
    assert _first(workspace, after) - _first(workspace, before) == timedelta(days=1)


def test_a_tick_is_not_its_own_successor(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, NEW_YORK)
    tick = datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert _first(workspace, tick) == tick + timedelta(hours=1)


def test_a_schedule_that_is_none_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(WhereinError, match=r"prefect\.schedule = 'every hour'") as raised:
        schedule.cron(_workspace(tmp_path, {"prefect": {"schedule": "every hour"}}))
    assert raised.value.code == 2


def test_a_collection_never_ingested_is_overdue(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, {"collections": {"notes": {"path": "notes"}}})
    assert anyio.run(schedule.overdue, workspace, schedule.cron(workspace))


# ── the environment ──────────────────────────────────────────────────────────────────────────────
def test_foreign_addresses_keys_and_homes_are_dropped_and_a_choice_of_logging_is_kept() -> None:
    foreign = {"PREFECT_API_URL": "x", "PREFECT_API_KEY": "x", "PREFECT_HOME": "x", "PREFECT_PROFILE": "x"}
    kept = {"PREFECT_LOGGING_LEVEL": "DEBUG", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "PATH": "/bin"}
    assert environment.without_foreign({**foreign, **kept}) == kept


def test_a_proxy_is_kept_out_of_the_way_to_this_machine() -> None:
    assert environment.reachable({"no_proxy": "intranet"})["no_proxy"] == "intranet,127.0.0.1,localhost"
    assert environment.reachable({})["NO_PROXY"] == "127.0.0.1,localhost"


def test_our_packages_come_first_for_a_child_process() -> None:
    path = environment.packages({"PYTHONPATH": "/elsewhere"}).get("PYTHONPATH", "")
    own = str(Path(environment.__file__).resolve().parents[1])
    assert path == f"{own}:/elsewhere"


def test_the_recorder_of_task_runs_waits_whole_seconds() -> None:
    """Prefect cuts its interval to an integer, and at zero its server never rests."""
    assert int(environment.SERVER["PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL"]) >= 1


# ── leases ───────────────────────────────────────────────────────────────────────────────────────
def test_a_server_is_used_until_its_last_lease_has_gone() -> None:
    leases = Leases()
    waiting = threading.Thread(target=leases.wait, args=(10, 0.05), daemon=True)
    waiting.start()
    held = [socket.create_connection(("127.0.0.1", leases.port), timeout=5) for _ in range(2)]
    assert [one.recv(64) for one in held] == [GREETING, GREETING]
    held[0].close()
    waiting.join(0.5)
    assert waiting.is_alive()
    held[1].close()
    waiting.join(5)
    assert not waiting.is_alive()


def test_a_server_that_nobody_comes_to_is_not_waited_for_long() -> None:
    waiting = threading.Thread(target=Leases().wait, args=(0.05, 0.05), daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()


@pytest.mark.parametrize("written", ["", "{", "{}", '{"port": 1, "lasting": true, "lease_port": "x"}'])
def test_a_state_that_is_damaged_is_no_server(tmp_path: Path, written: str) -> None:
    (tmp_path / "server.json").write_text(written, encoding="utf-8")
    assert find(tmp_path) is None


def test_a_port_that_another_program_has_taken_since_is_no_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        threading.Thread(target=_turn_away, args=(other,), daemon=True).start()
        state = f'{{"port": 1, "lasting": true, "lease_port": {other.getsockname()[1]}}}'
        (tmp_path / "server.json").write_text(state, encoding="utf-8")
        assert find(tmp_path) is None


def _turn_away(listener: socket.socket) -> None:
    listener.accept()[0].close()


# ── turns ────────────────────────────────────────────────────────────────────────────────────────
def test_a_model_server_is_asked_by_one_run_at_a_time_and_others_are_not_held_up(tmp_path: Path) -> None:
    seen: list[str] = []

    def ask(server: str) -> None:
        with limits.turn(tmp_path, {"server": server}):
            seen.append(server)

    with limits.turn(tmp_path, {"server": "127.0.0.1:1"}):
        waiting = threading.Thread(target=ask, args=("127.0.0.1:1",))
        waiting.start()
        ask("127.0.0.1:2")
        assert seen == ["127.0.0.1:2"]
    waiting.join(10)
    assert seen == ["127.0.0.1:2", "127.0.0.1:1"]


def test_no_turn_is_waited_for_without_a_server_or_where_no_lock_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cases = ((None, {"server": "a"}), (tmp_path, {"model": "m"}), (tmp_path / "file", {"server": "a"}))
    passed: list[object] = []

    def twice_at_once() -> None:
        for home, labels in cases:
            with limits.turn(home, labels), limits.turn(home, labels):
                passed.append(home)

    asking = threading.Thread(target=twice_at_once, daemon=True)
    asking.start()
    asking.join(10)
    assert passed == [home for home, _ in cases]


# ── lists ────────────────────────────────────────────────────────────────────────────────────────
@given(st.text(max_size=200))
def test_the_beginning_of_a_text_is_one_short_line(text: str) -> None:
    shown = begun(text)
    assert len(shown) <= BEGINNING + 2
    assert shown == " ".join(shown.split())
    assert " ".join(text.split()).startswith(shown.removesuffix(" …"))
