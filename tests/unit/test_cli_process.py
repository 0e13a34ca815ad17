"""The program as a process: what it imports, whom it mistakes for itself, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import PROJECT, clean_environment
from tests.unit.cli_workspace import Place, collections, place, publish

__all__ = ["place"]
HEAVY = {"numpy", "torch", "prefect", "llama_index", "openai", "onnxruntime", "transformers", "httpx", "rich"}
MODULE = (sys.executable, "-m", "wherein")
SHADOWS = ("tasks.py", "store.py", "flows.py", "prompts.py", "typer.py", "rich.py", "yaml.py")


def script(folder: Path) -> tuple[str, ...]:
    """What an installation puts on the PATH."""
    file = folder / "bin" / "wherein"
    file.parent.mkdir(exist_ok=True)
    file.write_text("import sys\nfrom wherein.__main__ import main\nsys.exit(main())\n", encoding="utf-8")
    return (sys.executable, str(file))


def run(place: Place, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(place.folder, more)
    return subprocess.run(
        command, cwd=place.folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("way", ["module", "script"])
def test_modules_of_the_current_folder_are_not_taken_for_ours(place: Place, way: str) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    for name in SHADOWS:
        (place.folder / name).write_text("raise SystemExit('taken for ours')\n", encoding="utf-8")
    (place.folder / "tasks").mkdir()
    (place.folder / "tasks" / "__init__.py").write_text("raise SystemExit('taken for ours')\n", encoding="utf-8")
    command = MODULE if way == "module" else script(place.folder)
    ended = run(place, *command, "show", "a.txt")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "pelican", "")


def test_our_packages_come_before_those_of_pythonpath(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    for name in ("tasks.py", "store.py", "flows.py", "prompts.py"):
        (place.folder / name).write_text("raise SystemExit('taken for ours')\n", encoding="utf-8")
    paths = os.pathsep.join([str(place.folder), str(PROJECT)])
    assert run(place, *MODULE, "show", "a.txt", PYTHONPATH=paths).stdout == "pelican"


def test_the_projects_own_folder_works_too(place: Place) -> None:
    environment = clean_environment(place.folder)
    ended = subprocess.run([*MODULE, "--version"], cwd=PROJECT, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("search", "--help"), ("status",), ("files",)])
def test_light_commands_load_nothing_heavy(place: Place, arguments: tuple[str, ...]) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    ended = run(place, sys.executable, "-X", "importtime", "-m", "wherein", *arguments)
    assert ended.returncode == 0
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ended.stderr.splitlines()}
    assert HEAVY & loaded == set()
    if arguments in (("--help",), ("--version",)):
        assert "pydantic" not in loaded


def test_a_reader_that_goes_away_ends_the_run_quietly(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican\n" * 200_000))
    for arguments in (("show", "a.txt"), ("keywords", "pelican"), ("keywords", "pelican", "--json")):
        process = subprocess.Popen(
            [*MODULE, *arguments], cwd=place.folder, env=clean_environment(place.folder),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 0)
        process.stderr.close()


def test_a_reader_that_never_was_ends_the_run_quietly(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    for arguments in (("show", "a.txt"), ("status",), ("--help",), ("show", "nosuch", "--json")):
        read, write = os.pipe()
        os.close(read)
        ended = subprocess.run(
            [*MODULE, *arguments], cwd=place.folder, env=clean_environment(place.folder),
            stdout=write, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
        os.close(write)
        assert ended.stderr == b""
        assert ended.returncode in (0, 4)


def test_closed_streams_are_no_error(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    shell = f"{sys.executable} -m wherein show a.txt >&- 2>&-; echo $?"
    assert run(place, "sh", "-c", shell).stdout == "0\n"


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_one_line(place: Place, sent: signal.Signals) -> None:
    place.settings(collections({"notes": "notes"}))
    process = subprocess.Popen(
        [*MODULE, "search", "-"], cwd=place.folder, env=clean_environment(place.folder),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(b"half a question")
    process.stdin.flush()
    _wait_until_it_reads(process.pid)
    process.send_signal(sent)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.count(b"\n") == 1
    assert b"Traceback" not in err


def _wait_until_it_reads(process_id: int) -> None:
    """Until the process sleeps in a read of its stdin."""
    state = Path(f"/proc/{process_id}/syscall")
    if not state.exists():
        pytest.skip("what a process waits for is only told by Linux")
    for _ in range(6000):
        if state.read_text(encoding="ascii").startswith("0 0x0 "):
            return
        signal.sigtimedwait([], 0.01)
    pytest.fail("it never read its stdin")


def test_text_that_the_terminal_cannot_write_is_replaced(place: Place) -> None:
    publish(place.index(), ("é.txt", "naïve 日"))
    ended = run(place, *MODULE, "keywords", "naïve", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stdout) == (0, "?.txt:1: na?ve ?\n")
    assert run(place, *MODULE, "show", "é.txt", PYTHONIOENCODING="ascii").stdout == "naïve 日"
    assert "\\u00ef" in run(place, *MODULE, "keywords", "naïve", "--json", PYTHONIOENCODING="ascii").stdout
