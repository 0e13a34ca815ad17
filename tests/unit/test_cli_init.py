"""The first settings of a folder."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import USAGE, WhereinError
from tests.unit.cli_workspace import Place, place
from wherein.pipelines.init import PROFILES, collection_name, init, running_model
from wherein.settings import FILE
from wherein.workspace import Workspace

__all__ = ["place"]


def none() -> None:
    return None


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["Diary 2024", "日記", "...", "'quoted\"", "$name", "-", "café"])
def test_what_is_written_always_loads_and_points_at_its_folder(tmp_path: Path, profile: str, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    written = init(folder, profile, find=none)
    workspace = Workspace.find(folder)
    assert list(workspace.settings.collections) == [written.collection]
    assert workspace.path(workspace.settings.collections[written.collection].path) == folder


@given(st.text())
def test_a_collection_name_is_always_a_plain_key(name: str) -> None:
    found = collection_name(name)
    assert found.isascii()
    assert found.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("folder", "name"), [("My Notes", "my-notes"), ("Café", "cafe"), ("日記", "notes"), ("", "notes"), ("a_b", "a_b")]
)
def test_a_collection_is_called_after_its_folder(folder: str, name: str) -> None:
    assert collection_name(folder) == name


def test_settings_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("# mine\n", encoding="utf-8")
    with pytest.raises(WhereinError, match="--force") as caught:
        init(tmp_path, find=none)
    assert caught.value.code == USAGE
    assert (tmp_path / FILE).read_text(encoding="utf-8") == "# mine\n"
    init(tmp_path, force=True, find=none)
    assert Workspace.find(tmp_path).settings.collections


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    init(tmp_path / "new" / "diary", find=none)
    assert list(Workspace.find(tmp_path / "new" / "diary").settings.collections) == ["diary"]


def test_a_file_for_a_folder_and_an_unknown_profile_are_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder, profile in ((tmp_path / "file", "default"), (tmp_path, "nosuch")):
        with pytest.raises(WhereinError) as caught:
            init(folder, profile, find=none)
        assert caught.value.code == USAGE


def test_without_a_running_model_answers_are_extractive(tmp_path: Path) -> None:
    assert init(tmp_path, find=none).model == "extractive"
    assert Workspace.find(tmp_path).settings.synthesis.model == "extractive"


def test_the_journal_profile_is_a_large_model_and_a_union_reranked(tmp_path: Path) -> None:
    init(tmp_path, "journal", find=none)
    found = Workspace.find(tmp_path).settings
    assert (found.embedding.model, found.retrieval.fusion) == ("BAAI/bge-large-en-v1.5", "union")
    assert (found.retrieval.pool_vector, found.retrieval.pool_keyword, found.retrieval.k) == (30, 30, 15)
    assert (found.synthesis.model, found.synthesis.temperature) == ("ollama/command-r7b", 0.3)


class _Tags(BaseHTTPRequestHandler):
    reply = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.reply)

    def log_message(self, *_arguments: object) -> None:
        return


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Tags)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def listed(*models: object) -> bytes:
    return json.dumps({"models": models}).encode()


BGE = {"name": "bge-m3:latest", "details": {"family": "bert"}}


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (listed({"name": "command-r7b:latest"}), "ollama/command-r7b"),
        (listed(BGE, {"name": "nomic-embed-text:v1.5"}, {"name": "qwen3:4b", "details": {"family": "qwen3"}}),
         "ollama/qwen3:4b"),
        (listed({"name": 'evil"\nmodel'}, {"name": "hf.co/org/m-GGUF:Q4"}), "ollama/hf.co/org/m-GGUF:Q4"),
        (listed(BGE), None),
        (listed(), None),
        (b"not json", None),
        (b'{"models": [{"size": 1}]}', None),
        (b"[1]", None),
    ],
)  # fmt: skip
def test_the_first_chat_model_that_runs_here_is_taken(
    port: int, reply: bytes, found: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Tags, "reply", reply)
    assert running_model(port=port) == found


def test_no_server_is_no_model() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert running_model(port=unused.getsockname()[1]) is None


def test_the_command_says_what_it_wrote(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wherein.pipelines.init.running_model", lambda: "ollama/command-r7b")
    ended = place.run("init", "notes", "--json")
    assert ended.json == {
        "file": str(place.folder / "notes" / FILE), "collection": "notes", "model": "ollama/command-r7b"
    }  # fmt: skip
    assert place.run("init", "notes").code == 2
    assert "wherein ingest" in place.run("init", "notes", "--force").err
