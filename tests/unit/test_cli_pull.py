"""`wherein models pull` from a hub of our own, and what is then found on disk."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.process import clean_environment
from tests.unit.cli_workspace import Place, place

__all__ = ["place"]
FILES = {
    "config.json": b"{}",
    "README.md": b"---\nlicense: mit\n---\n",
    "model.safetensors": b"weights",
    "pytorch_model.bin": b"the same weights",
    "onnx/model.onnx": b"the same again",
}
REVISION = "a" * 40
SET = ("--set", "embedding.model=org/tiny")


class _Hub(BaseHTTPRequestHandler):
    """The few addresses of a hub that fetching a model needs."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        name = path.partition(f"/resolve/{'main' if '/resolve/main/' in path else REVISION}/")[2]
        if path.startswith("/api/models/org/tiny"):
            siblings = [{"rfilename": file} for file in FILES]
            listed = [{"type": "file", "path": f, "size": len(c), "oid": _oid(c)} for f, c in FILES.items()]
            whole = {"_id": "1", "id": "org/tiny", "sha": REVISION, "siblings": siblings, "tags": [], "private": False}
            self._send(200, json.dumps(listed if "/tree/" in path else whole).encode(), "application/json")
        elif path.startswith("/org/tiny/") and name in FILES:
            self._send(200, FILES[name], "application/octet-stream")
        else:
            self._send(404, b"{}", "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{_oid(content)}"')
        self.send_header("X-Repo-Commit", REVISION)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        return


def _oid(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def run(place: Place, hub: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = clean_environment(place.folder / "home", {"HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "1"})
    return subprocess.run(
        [sys.executable, "-m", "wherein", *arguments], cwd=place.folder, env=environment,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_pulled_model_is_found_in_the_state_with_its_revision(place: Place, hub: str) -> None:
    (pulled,) = json.loads(run(place, hub, "models", "pull", "--json", *SET).stdout)
    assert (pulled["model"], pulled["revision"]) == ("org/tiny", REVISION)
    folder = place.folder / ".wherein" / "models" / "models--org--tiny" / "snapshots" / REVISION
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "config.json", "model.safetensors"]
    entry = place.run("models", "--json", *SET).json[0]
    assert (entry["where"], entry["licence"], entry["problem"]) == (str(folder), "mit", None)
    assert (entry["revision"], len(entry["sha256"])) == (REVISION, 64)


def test_a_model_the_hub_does_not_have_is_one_sentence(place: Place, hub: str) -> None:
    ended = run(place, hub, "models", "pull", "--set", "embedding.model=org/nosuch")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "404" in ended.stderr
    assert "org/nosuch" in ended.stderr


def test_a_hub_that_is_away_is_one_sentence(place: Place) -> None:
    ended = run(place, "http://127.0.0.1:9", "models", "pull", *SET)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "cannot be reached" in ended.stderr
