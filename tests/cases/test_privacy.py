from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.faults import Fault, always
from tests.support.process import PROJECT
from tests.support.stub import Stub
from tests.support.workspace import Workspace

FILES = {"a.txt": "the pelican code is 7", "b.txt": "garden notes"}
COMMANDS = (
    ("ingest",),
    ("search", "pelican code"),
    ("ask", "pelican code?"),
    ("compare", "pelican code?", "--model", "stubchat"),
    ("keywords", "pelican"),
    ("status",),
    ("files",),
    ("show", "a.txt"),
)
WATCH = """
import os, sys
_LOG = os.environ["OUTGOING_LOG"]
def _watch(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple):
        host = str(args[1][0])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = str(args[0])
    else:
        return
    if not host.startswith("127.") and host not in ("localhost", "::1", "None", "b'localhost'"):
        with open(_LOG, "a", encoding="utf-8") as log:
            log.write(f"{event} {host}\\n")
sys.addaudithook(_watch)
"""
SECRET = "sk-verysecret-0123456789abcdef"


def _run_all(ws: Workspace, env: dict[str, str]) -> str:
    said = ""
    for command in COMMANDS:
        result = ws.run(*command, env=env, timeout=120).expect(0)
        said += result.stdout + result.stderr
    return said


def test_no_command_tries_to_reach_another_host(ws: Workspace, tmp_path: Path) -> None:
    ws.configure({"rerank": {"enabled": True}})
    ws.write_all(FILES)
    hook, log = tmp_path / "hook", tmp_path / "outgoing.log"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    env = {"PYTHONPATH": f"{hook}:{PROJECT}", "OUTGOING_LOG": str(log), "OPENAI_API_KEY": "sk-dummy"}
    _run_all(ws, env)
    assert not log.exists(), log.read_text(encoding="utf-8")


def test_the_bundled_embedder_needs_no_network(ws: Workspace, tmp_path: Path) -> None:
    ws.configure({"embedding": {"model": None, "window": None}, "synthesis": {"model": "extractive"}})
    ws.configure({"rerank": {"enabled": True}})
    ws.write_all(FILES)
    hook, log = tmp_path / "hook", tmp_path / "outgoing.log"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    env = {"PYTHONPATH": f"{hook}:{PROJECT}", "OUTGOING_LOG": str(log)}
    for command in COMMANDS[:3]:
        ws.run(*command, env=env, timeout=120).expect(0)
    assert not log.exists(), log.read_text(encoding="utf-8")
    assert ws.stub.requests() == []


def test_keys_and_addresses_in_the_environment_change_nothing(ws: Workspace, spy: Stub) -> None:
    ws.write_all(FILES)
    env = {
        "OPENAI_API_KEY": SECRET,
        "OPENAI_BASE_URL": spy.v1,
        "OPENAI_API_BASE": spy.v1,
        "OPENAI_ORG_ID": "org-spy",
        "OLLAMA_HOST": spy.url,
        "PREFECT_API_URL": f"{spy.url}/api",
        "PREFECT_API_KEY": "pnu_spy",
        **dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"), spy.url),
    }
    said = _run_all(ws, env)
    ws.run("ask", "pelican code?", "--model", "stubollama", env=env).expect(0)
    assert spy.requests() == []
    assert SECRET not in said
    assert not [seen for seen in ws.stub.requests() if SECRET in str(seen.headers)]
    assert not [seen for seen in ws.stub.requests() if "org-spy" in str(seen.headers)]


def test_a_remote_model_needs_its_key_and_ignores_an_address_in_the_environment(ws: Workspace, spy: Stub) -> None:
    ws.configure({"synthesis": {"model": "openai/gpt-none"}})
    ws.write_all(FILES)
    ws.ingest()
    env = {"OPENAI_BASE_URL": spy.v1}
    result = ws.run("ask", "pelican code?", env=env, timeout=120).expect(1, 2, 3)
    assert "openai_api_key" in result.said
    assert spy.requests() == []


@pytest.fixture
def keyed(ws: Workspace) -> Workspace:
    ws.add_model("keyed", "stub-keyed", api_key_env="STUB_SECRET_KEY")
    ws.write_all(FILES)
    ws.ingest()
    return ws


def _written(*folders: Path) -> bytes:
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def test_a_named_key_is_sent_and_appears_nowhere_else(keyed: Workspace) -> None:
    env = {"STUB_SECRET_KEY": SECRET}
    said = ""
    for command in (("ask", "pelican code?"), ("compare", "pelican code?"), ("doctor",), ("models",), ("status",)):
        extra = ("--model", "keyed") if command[0] in ("ask", "compare") else ()
        result = keyed.run(*command, *extra, env=env, timeout=120)
        said += result.stdout + result.stderr
    assert {seen.headers.get("Authorization") for seen in keyed.stub.chats} == {f"Bearer {SECRET}"}
    assert SECRET not in said
    assert SECRET.encode() not in _written(keyed.root, keyed.home)


def test_a_key_echoed_by_the_server_is_not_printed(keyed: Workspace) -> None:
    keyed.stub.rule("chat", always(Fault(401, f"Incorrect API key provided: {SECRET}.")))
    env = {"STUB_SECRET_KEY": SECRET}
    for flags in ((), ("--json",), ("--debug",)):
        process = keyed.start("ask", "pelican code?", "--model", "keyed", *flags, env=env).process
        out, err = process.communicate(timeout=60)
        assert SECRET.encode() not in out + err
    assert SECRET.encode() not in _written(keyed.root, keyed.home)


def test_a_named_key_that_is_not_set_is_asked_for_by_its_variable(keyed: Workspace) -> None:
    result = keyed.run("ask", "pelican code?", "--model", "keyed").expect(1, 2, 3)
    assert "stub_secret_key" in result.said


def test_questions_are_kept_only_if_wanted(ws: Workspace) -> None:
    ws.write_all(FILES)
    ws.ingest()
    ws.ask("unlogged pelicanquestion code?", "--no-log")
    ws.ask("unlogged pelicanquestion code?", "--set", "answers.log=false")
    assert b"pelicanquestion" not in _written(ws.root, ws.home)
    ws.ask("a logged pelicanquestion code?")
    assert b"pelicanquestion" in _written(ws.state)
    assert b"pelicanquestion" not in _written(ws.home)
    assert "pelicanquestion" in ws.run("answers").expect(0).stdout
    ws.run("answers", "purge").expect(0)
    assert b"pelicanquestion" not in _written(ws.root, ws.home)


def test_the_answer_log_says_so_once(ws: Workspace) -> None:
    ws.write_all(FILES)
    ws.ingest()
    first = ws.run("ask", "pelican code?").expect(0).stderr.lower()
    second = ws.run("ask", "pelican code?").expect(0).stderr.lower()
    assert "log" in first or "answers" in first
    assert first != second


def test_commands_write_only_to_state_and_results(ws: Workspace) -> None:
    ws.write_all(FILES)
    before = {path.name for path in ws.root.iterdir()}
    _run_all(ws, {})
    after = {path.name for path in ws.root.iterdir()}
    assert after - before <= {".wherein", "results"}
    assert sorted(path.name for path in ws.notes.iterdir()) == sorted(FILES)
    assert [path for path in ws.home.rglob("*") if path.is_file()] == []
