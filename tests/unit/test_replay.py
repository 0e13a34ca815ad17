"""A kept answer is searched for again as it was, whatever the settings say now."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

import wherein
from store.log import AnswerLog
from tests.property.folder import use
from tests.support.embedder import HashedWords
from tests.support.stub import Stub
from tests.unit.cli_workspace import Ended, Place, place
from wherein.pipelines.in_force import put_back

__all__ = ["place"]
TOML = """
[collections.notes]
path = "notes"
[rerank]
enabled = false
[synthesis]
model = "stub"
{more}
[models.stub]
provider = "ollama"
base_url = "{url}"
model = "stub-chat"
"""


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as served:
        yield served


@pytest.fixture
def asked(place: Place, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Place:
    use(monkeypatch, HashedWords())
    for number in range(6):
        text = f"pelican number{number} of the lake" if number % 2 else f"heron {'pelican ' * number}on the wall"
        (place.folder / "notes" / f"f{number}.txt").write_text(text, encoding="utf-8")
    place.settings(TOML.format(url=stub.url, more=""))
    assert place.run("ingest").code == 0
    return place


def ask(place: Place, *flags: str) -> dict[str, Any]:
    ended = place.run("ask", "which pelican?", "--json", *flags)
    assert ended.code == 0, ended.err
    given: dict[str, Any] = ended.json
    return given


def replayed(place: Place, given: dict[str, Any], *flags: str) -> dict[str, Any]:
    ended: Ended = place.run("answers", "replay", given["id"], "--json", *flags)
    assert ended.code == 0, ended.out
    found: dict[str, Any] = ended.json
    return found


def same(found: dict[str, Any], given: dict[str, Any]) -> bool:
    nothing = (found["gone"], found["new"], found["moved"]) == ([], [], [])
    return nothing and found["unchanged"] == len(given["evidence"])


@pytest.mark.parametrize(
    "flags",
    [
        ("--set", "retrieval.k=2"),
        ("--set", "retrieval.fusion=rrf", "--set", "retrieval.weight_keyword=3"),
        ("--mode", "keyword", "-k", "3"),
        ("--path", "f[1-3].txt"),
        ("--set", "synthesis.context_window=1200", "--set", "synthesis.max_tokens=300"),
    ],
)
def test_what_was_in_force_then_is_in_force_again(asked: Place, flags: tuple[str, ...]) -> None:
    given = ask(asked, *flags)
    found = replayed(asked, given)
    assert same(found, given)
    told = [note for note in found["notes"] if " as then, and now " in note]
    assert len(told) == sum(flag == "--set" for flag in flags)


def test_settings_that_changed_since_are_told_and_those_of_then_used(asked: Place, stub: Stub) -> None:
    given = ask(asked)
    asked.settings(TOML.format(url=stub.url, more="[retrieval]\nk = 1"))
    found = replayed(asked, given)
    assert same(found, given)
    assert "retrieval.k is 15 as then, and now 1" in found["notes"]
    assert replayed(asked, given, "--set", "retrieval.k=2")["unchanged"] <= 2, "what is set for this call wins"


def test_an_address_is_not_kept_and_stays_the_one_of_now(asked: Place, stub: Stub) -> None:
    secret = ("--set", "rerank.base_url=http://me:hunter2@127.0.0.1:9/v1")
    given = ask(asked, *secret)
    assert "hunter2" not in json.dumps(given)
    workspace = wherein.Workspace.find(asked.folder, ["rerank.base_url=http://127.0.0.1:8/v1"])
    again, _ = put_back(workspace, given["flags"]["settings"])
    assert again.settings.rerank.base_url == "http://127.0.0.1:8/v1"


def test_other_wordings_are_searched_by_again_without_asking_for_any(asked: Place, stub: Stub) -> None:
    stub.default_answer = "heron on the wall"
    given = ask(asked, "--expand", "--hyde", "-k", "3")
    assert [each["text"] for each in given["flags"]["query"]["wordings"]] == ["heron on the wall"] * 2
    stub.forget()
    stub.default_answer = "something else altogether"
    found = replayed(asked, given)
    assert same(found, given)
    assert stub.chats == []
    again = replayed(asked, given, "--ask")
    assert len(stub.chats) == 1, "the answer alone"
    assert again["answer"]["answer"] == "something else altogether"


def test_asking_again_sends_the_bytes_of_then(asked: Place, stub: Stub) -> None:
    given = ask(asked, "--set", "retrieval.k=2", "--temperature", "0", "--seed", "7", "--max-tokens", "99")
    found = replayed(asked, given, "--ask")
    first, second = (seen.body for seen in stub.chats)
    assert first == second
    assert found["answer"]["id"] is None
    assert len(AnswerLog(asked.folder / ".wherein" / "log.sqlite").recent()) == 1


def test_what_was_asked_of_a_likeness_is_replayed_as_one(asked: Place) -> None:
    workspace = wherein.Workspace.find(asked.folder)
    answer = wherein.ask("unused", workspace, like="f1.txt")
    found = replayed(asked, {"id": answer.id})
    assert found["unchanged"] == len(answer.evidence) > 0
    assert "f1.txt" not in {hit.path for hit in answer.evidence}
    (asked.folder / "notes" / "f1.txt").unlink()
    assert asked.run("ingest").code == 0
    ended = asked.run("answers", "replay", str(answer.id))
    assert (ended.code, len(ended.err.splitlines())) == (4, 1)


def test_last_week_is_the_week_before_the_day_it_was_asked(asked: Place) -> None:
    given = ask(asked, "--set", "retrieval.today=2020-02-02")
    assert given["flags"]["settings"]["retrieval"]["today"] == "2020-02-02"
    ended = asked.run("ask", "what of the pelican yesterday?", "--json", "--set", "retrieval.today=2020-02-02")
    assert "2020-02-01" in " ".join(replayed(asked, ended.json)["notes"])


def test_an_answer_of_an_older_version_is_searched_under_the_settings_of_now(asked: Place) -> None:
    given = ask(asked, "-k", "2")
    for flags, told in (({"query": {"k": 2, "gone": 1}}, "were not kept"), (None, "searched without any")):
        _rewrite(asked, given, flags)
        found = replayed(asked, given)
        assert told in " ".join(found["notes"])
        assert found["unchanged"] == 2
    _rewrite(asked, given, {"query": {"k": 2}, "settings": {"retrieval": {"fusion": "magic"}}})
    assert "not possible any more" in " ".join(replayed(asked, given)["notes"])


def _rewrite(place: Place, given: dict[str, Any], flags: object) -> None:
    """Flags as another version might have kept them."""
    with sqlite3.connect(place.folder / ".wherein" / "log.sqlite") as connection:
        kept = json.dumps({**given, "flags": flags})
        connection.execute("UPDATE answers SET answer = ? WHERE id = ?", (kept, given["id"]))
    connection.close()
