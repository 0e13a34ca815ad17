"""How a run ends: exit codes, one sentence, one document."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from store.errors import WhereinError
from tests.unit.cli_workspace import Place, place, publish
from wherein.cli import ending, looking

__all__ = ["place"]


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let `wherein status` raise."""

    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("wherein.pipelines.status.status", fail)
    assert looking


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch",),
        ("search",),
        ("search", ""),
        ("search", " ", "\t"),
        ("search", "x", "--nosuch"),
        ("search", "x", "-k", "many"),
        ("search", "x", "--set", "retrieval.nosuch=1"),
        ("ask", " "),
        ("compare", "--questions", "nosuch.txt"),
        ("ingest", "nosuch"),
        ("ingest", "--forget"),
        ("ingest", "--wait", "-1"),
        ("files", "--state", "lost"),
        ("show",),
        ("keywords",),
        ("status", "--workspace", "nosuch"),
    ],
)
def test_wrong_usage_is_two_in_one_sentence_or_one_document(place: Place, arguments: tuple[str, ...]) -> None:
    ended = place.run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    for given in ((*arguments, "--json"), ("--json", *arguments)):
        error = place.run(*given).json["error"]
        assert (error["code"], set(error)) == (2, {"code", "kind", "message"})


def test_without_a_command_the_help_is_shown(place: Place) -> None:
    ended = place.run()
    assert ended.code == 0
    assert "ingest" in ended.out


def test_commands_are_listed_in_one_order_under_headings(place: Place) -> None:
    text = place.run("--help").out
    headings = [text.index(f"\n{name}") for name in ("Everyday:", "Look closer:", "Models and health:")]
    assert headings == sorted(headings)
    first = [line.split()[0] for line in text[headings[0] : headings[1]].splitlines()[2:] if line.strip()]
    assert first == ["init", "ingest", "search", "ask", "compare", "status"]


def test_a_known_error_keeps_its_code_and_kind(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, WhereinError("It is busy.", kind="busy", code=5))
    assert place.run("status") == (place.run("status").__class__)(5, "", "It is busy.\n")
    assert place.run("status", "--json").json == {"error": {"code": 5, "kind": "busy", "message": "It is busy."}}


def test_an_unexpected_error_is_one_sentence_and_a_traceback_on_request(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, ZeroDivisionError("division by zero"))
    ended = place.run("status")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "--debug" in ended.err
    assert "Traceback" in place.run("status", "--debug").err
    assert json.loads(place.run("status", "--json", "--debug").out)["error"]["kind"] == "unexpected"


def test_ctrl_c_is_130_with_one_line(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    ended = place.run("status")
    assert (ended.code, ended.err.count("\n")) == (ending.INTERRUPTED, 1)
    assert place.run("status", "--json").json["error"]["code"] == 130


def test_a_message_cannot_command_the_terminal(place: Place) -> None:
    ended = place.run("ingest", "\x1b[31mred\nsecond")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    assert len(ended.err.splitlines()) == 1


def test_the_workspace_can_be_named(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "wherein.toml").write_text("[collections.elsewhere]\npath='.'\n", encoding="utf-8")
    for arguments in (("--workspace", str(other), "status", "--json"), ("status", "--json", f"--workspace={other}")):
        assert place.run(*arguments).json["collections"][0]["name"] == "elsewhere"


def test_a_setting_can_be_given_before_and_after_the_command(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    given = ("--set", "workspace.state=elsewhere", "files")
    assert place.run("files").code == 0
    assert place.run(*given).code == 1
    assert place.run(*given[2:], *given[:2]).code == 1


def test_stdin_is_read_for_a_dash(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for content, code in ((b" \n", 2), (b"", 2), ("pelican é\n".encode(), 1), (b"caf\xe9", 1)):
        (tmp_path / "question").write_bytes(content)
        with (tmp_path / "question").open(encoding="utf-8") as stream:
            monkeypatch.setattr("sys.stdin", stream)
            assert place.run("search", "-", "--mode", "keyword").code == code


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_what_the_disk_refuses_is_told_with_the_way_out(
    place: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    failing(monkeypatch, OSError(number, os.strerror(number), "notes/lock"))
    ended = place.run("status")
    assert ended.code == 1
    assert "notes/lock" in ended.err
    assert "Unexpected" not in ended.err
