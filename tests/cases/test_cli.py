from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import clean_environment
from tests.support.workspace import Workspace, open_workspace, paths

EVERYDAY = ["init", "ingest", "search", "ask", "compare", "status"]
OTHERS = ["files", "show", "keywords", "models", "doctor", "answers", "generations", "purge", "up", "down"]
COMMANDS = EVERYDAY + OTHERS
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|4\d|9[0-7])(?:;\d+)*m")


@pytest.fixture
def ready(ws: Workspace) -> Workspace:
    ws.write_all({f"f{n}.txt": f"pelican number {n}" for n in range(6)})
    ws.ingest()
    return ws


# ── help and version ─────────────────────────────────────────────────────────────────────────────────
def test_help_names_every_command_and_every_command_has_help(ws: Workspace) -> None:
    overview = ws.run("--help").expect(0).stdout
    missing = [name for name in COMMANDS if not re.search(rf"\b{name}\b", overview)]
    assert missing == []
    for at in range(0, len(COMMANDS), 6):
        runs = [ws.start(name, "--help") for name in COMMANDS[at : at + 6]]
        for run in runs:
            assert run.wait().expect(0).stdout.strip()


def test_the_everyday_commands_come_first_in_the_help(ws: Workspace) -> None:
    lines = ws.run("--help").expect(0).stdout.splitlines()
    first = {name: next(at for at, line in enumerate(lines) if re.match(rf"\s*{name}\s", line)) for name in COMMANDS}
    assert sorted(EVERYDAY, key=first.__getitem__) == EVERYDAY
    assert max(first[name] for name in EVERYDAY) < min(first[name] for name in OTHERS)


def test_version_is_one_line_and_needs_no_workspace(ws: Workspace, tmp_path: Path) -> None:
    out = ws.run("--version", cwd=tmp_path).expect(0).stdout
    assert re.search(r"\d+\.\d+", out)
    assert len(out.strip().splitlines()) == 1


# ── one JSON document, streams, terminals ────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    [("search", " "), ("search", "x", "--nosuchflag"), ("ask", "x", "--model", "nosuch"), ("ingest", "nosuch")],
)
def test_failures_are_one_json_document_too(ready: Workspace, command: tuple[str, ...]) -> None:
    error = ready.run(*command, "--json").expect(2).json["error"]
    assert error["message"]
    assert error["kind"]
    assert int(error["code"]) == 2


def test_results_go_to_stdout_and_everything_else_to_stderr(ready: Workspace) -> None:
    result = ready.run("search", " ").expect(2)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert ready.run("ask", "pelican?", "--json").expect(0).json["answer"]


def test_quiet_is_quiet(ready: Workspace) -> None:
    ready.write("new.txt", "one more")
    assert ready.run("ingest", "--quiet").expect(0).stderr == ""


def test_pipes_get_no_colours_and_no_progress_bars(ready: Workspace) -> None:
    ready.write("new.txt", "one more")
    for command in (("ingest",), ("search", "pelican"), ("ask", "pelican?"), ("status",), ("--help",)):
        result = ready.run(*command).expect(0)
        assert "\x1b" not in result.stdout + result.stderr
        assert "\r" not in result.stdout + result.stderr


@pytest.mark.parametrize("no_color", [True, False])
def test_terminals_get_colours_unless_told_otherwise(ready: Workspace, no_color: bool) -> None:
    ours, theirs = pty.openpty()
    extra = {"TERM": "xterm-256color", **({"NO_COLOR": "1"} if no_color else {})}
    process = subprocess.Popen(
        [sys.executable, "-m", "wherein", "search", "pelican"],
        cwd=ready.root,
        env=clean_environment(ready.home, extra),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 65536):
            shown += block
    except OSError:
        pass
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    assert "f0.txt:1" in re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())
    if no_color:
        assert not COLOUR.search(shown.decode())


def test_a_closed_pipe_ends_quietly(ws: Workspace) -> None:
    ws.write_all({f"dir/file number {n:04}.txt": f"pelican number {n}" for n in range(600)})
    ws.write("big.txt", "pelican and many more words\n" * 20_000)
    ws.ingest()
    for command in (("files",), ("files", "--json"), ("show", "big.txt"), ("keywords", "pelican")):
        process = ws.start(*command).process
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        complaint = process.stderr.read().decode()
        process.wait(60)
        assert "Traceback" not in complaint
        assert "BrokenPipe" not in complaint
        assert "Exception ignored" not in complaint


def test_a_terminal_that_knows_only_ascii_is_no_reason_to_crash(ready: Workspace) -> None:
    ready.write("ü 😀.txt", "pelican 😀 – “quoted” é")
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ready.run("ingest", env=plain).expect(0)
    for command in (("search", "pelican"), ("files",), ("show", "ü 😀.txt"), ("search", "pelican", "--json")):
        ready.run(*command, env=plain).expect(0)


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────
def test_a_dash_reads_the_query_from_stdin(ready: Workspace) -> None:
    answer = ready.run("search", "-", "--json", input=b"pelican number 3\n").expect(0).json
    assert answer["query"] == "pelican number 3"
    assert ready.run("ask", "-", "--json", input="was für ein pelican?".encode()).expect(0).json["question"]
    ready.run("search", "-", input=b" \n").expect(2)


def test_words_need_no_quoting(ready: Workspace) -> None:
    answer = ready.run("search", "pelican", "number", "3", "--json").expect(0).json
    assert answer["query"] == "pelican number 3"


def test_a_query_of_odd_characters_is_only_text(ready: Workspace) -> None:
    for query in ("pelican [bold]", "pelican {x} %s \\n", "(", "😀", "'; DROP TABLE files; --", "*", '"'):
        ready.run("search", query, "--json").expect(0, 4)


# ── settings ─────────────────────────────────────────────────────────────────────────────────────────
def test_flags_win_over_the_environment_and_that_over_the_file(ready: Workspace) -> None:
    ready.configure({"retrieval": {"k": 1}})
    env = {"WHEREIN_RETRIEVAL__K": "2"}
    assert len(ready.search("pelican")["hits"]) == 1
    assert len(ready.search("pelican", env=env)["hits"]) == 2
    assert len(ready.search("pelican", "--set", "retrieval.k=3", env=env)["hits"]) == 3


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"retrieval": {"poolvector": 5}}, ["poolvector"]),
        ({"nosuch": {"key": 1}}, ["nosuch"]),
        ({"retrieval": {"k": "many"}}, ["retrieval.k", "many"]),
        ({"retrieval": {"k": 0}}, ["retrieval.k", "0"]),
        ({"retrieval": {"fusion": "magic"}}, ["retrieval.fusion", "magic", "minmax", "rrf", "union"]),
        ({"retrieval": {"floor": 2.5}}, ["retrieval.floor", "2.5"]),
        ({"rerank": {"weight": -1.5}}, ["rerank.weight", "-1.5"]),
        ({"chunking": {"size": 100, "overlap": 100}}, ["overlap", "100"]),
        ({"synthesis": {"temperature": -0.5}}, ["synthesis.temperature", "-0.5"]),
        ({"collections": {"notes": {"colour": "red"}}}, ["colour"]),
        ({"models": {"stubchat": {"provider": "telepathy"}}}, ["provider", "telepathy"]),
    ],
)
def test_unknown_keys_and_impossible_values_are_named(
    ready: Workspace, changes: dict[str, Any], named: list[str]
) -> None:
    ready.configure(changes)
    message = ready.run("search", "pelican", "--json").expect(2).json["error"]["message"]
    assert [part for part in named if part not in message] == []


def test_an_embedding_model_nobody_knows_is_named_before_any_work(ws: Workspace) -> None:
    ws.configure({"embedding": {"model": "nosuchmodel"}})
    ws.write("a.txt", "pelican")
    message = ws.run("ingest", "--json", timeout=120).expect(2).json["error"]["message"]
    assert "nosuchmodel" in message
    assert "embedding.model" in message


def test_broken_toml_is_named_with_its_place(ready: Workspace) -> None:
    (ready.root / "wherein.toml").write_text("[retrieval\nk = 3\n", encoding="utf-8")
    assert "wherein.toml" in ready.run("search", "pelican").expect(2).said


def test_unknown_settings_in_the_environment_are_named_and_other_variables_ignored(ready: Workspace) -> None:
    result = ready.run("search", "pelican", env={"WHEREIN_RETRIEVAL__NOSUCH": "1"}).expect(2)
    assert "nosuch" in result.said
    ready.run("search", "pelican", env={"WHEREIN_TEST_DATA": "/tmp", "WHEREIN_FOO": "1"}).expect(0)
    bad = ready.run("search", "pelican", env={"WHEREIN_RETRIEVAL__K": "many"}).expect(2)
    assert "many" in bad.said


# ── where the workspace is ───────────────────────────────────────────────────────────────────────────
def test_the_workspace_is_found_upward_by_flag_or_by_variable(ready: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert len(ready.search("pelican", cwd=ready.notes)["hits"]) == 6
    assert len(ready.search("pelican", "--workspace", str(ready.root), cwd=outside)["hits"]) == 6
    env = {"WHEREIN_WORKSPACE": str(ready.root)}
    assert len(ready.search("pelican", cwd=outside, env=env)["hits"]) == 6
    ready.run("search", "pelican", "--workspace", str(outside)).expect(2)


def test_modules_of_the_same_name_in_the_folder_are_no_trap(ready: Workspace) -> None:
    trap = "raise RuntimeError('the wrong module was imported')\n"
    for name in ("tasks.py", "prompts.py", "flows.py", "json.py", "typer.py"):
        (ready.root / name).write_text(trap, encoding="utf-8")
    (ready.root / "store").mkdir()
    (ready.root / "store" / "__init__.py").write_text(trap, encoding="utf-8")
    for command in (("ingest",), ("search", "pelican"), ("ask", "pelican?"), ("status",)):
        ready.run(*command).expect(0)


def test_init_writes_a_workspace_that_works_at_once(ws: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    (folder / "a.txt").write_text("The pelican code is seven.\n", encoding="utf-8")
    ws.run("init", str(folder), cwd=tmp_path).expect(0)
    text = (folder / "wherein.toml").read_text(encoding="utf-8")
    assert "extractive" in text or "ollama/" in text
    ws.run("ingest", cwd=folder, timeout=120).expect(0)
    assert paths(ws.search("what is the pelican code", cwd=folder)) == ["a.txt"]
    answer = ws.ask("what is the pelican code?", "--model", "extractive", cwd=folder)
    assert "seven" in answer["answer"]
    again = ws.run("init", str(folder), cwd=tmp_path)
    assert again.code != 0
    assert (folder / "wherein.toml").read_text(encoding="utf-8") == text


def test_the_journal_profile_is_the_main_set_up(ws: Workspace, tmp_path: Path) -> None:
    ws.run("init", str(tmp_path / "diary"), "--profile", "journal", cwd=tmp_path).expect(0)
    text = (tmp_path / "diary" / "wherein.toml").read_text(encoding="utf-8")
    for part in ("bge-large-en-v1.5", "union", "30", "15", "command-r7b", "0.3"):
        assert part in text


# ── show ─────────────────────────────────────────────────────────────────────────────────────────────
def test_show_prints_the_text_of_the_generation_and_nothing_else(ready: Workspace) -> None:
    ready.write("f0.txt", "changed on disk, not yet ingested")
    assert ready.show("f0.txt") == "pelican number 0"
    ready.run("show", "nosuch.txt").expect(4)
    ready.run("show", "../wherein.toml").expect(4)


def test_show_at_a_line_prints_the_chunks_that_cover_it(ready: Workspace) -> None:
    ready.configure({"chunking": {"size": 40, "overlap": 0}})
    ready.write("long.txt", "\n\n".join(f"paragraph {n} " + f"word{n} " * 25 for n in range(10)))
    ready.ingest("--rebuild")
    shown = ready.show("long.txt:9")
    assert "paragraph 4" in shown
    assert "paragraph 9" not in shown
    ready.run("show", "long.txt:9999").expect(4)


def test_two_workspaces_do_not_know_each_other(ready: Workspace, tmp_path: Path) -> None:
    with open_workspace(tmp_path / "second", {"x.txt": "heron"}) as other:
        other.ingest()
        assert sorted(other.files()) == ["x.txt"]
        other.search("pelican", "--mode", "keyword", code=4)
    assert len(ready.files()) == 6
