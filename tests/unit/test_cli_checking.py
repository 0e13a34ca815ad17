"""`wherein models`, `doctor`, `compare --questions`: what is looked at without a model, and without a network."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from store.errors import WhereinError
from tests.unit.cli_workspace import Place, collections, place, publish
from wherein.cli.comparing import _read
from wherein.pipelines import requirements

__all__ = ["place"]
SERVED = """
[models.near]
base_url = "http://127.0.0.1:{port}/v1"
model = "m"
[models.far]
base_url = "https://models.invalid/v1"
model = "m"
"""


def checks(place: Place, *arguments: str) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in place.run("doctor", "--json", *arguments).json["checks"]}


def test_a_sound_workspace_has_nothing_to_complain_about(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    for flags in ((), ("--deep",)):
        assert place.run("doctor", *flags).code == 0
        assert {check["state"] for check in checks(place, *flags).values()} == {"ok"}


def test_a_damaged_index_is_broken_and_told_with_the_way_out(place: Place) -> None:
    publish(place.index(), ("a.txt", "pelican"))
    file = max((place.index() / "derived").iterdir())
    stat = file.stat()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert stat.st_size == file.stat().st_size
    ended = place.run("doctor", "--deep")
    assert ended.code == 1
    assert file.name in ended.out
    assert "--rebuild" in ended.out


def test_a_missing_root_is_broken(place: Place) -> None:
    place.settings(collections({"notes": "nosuch"}))
    assert checks(place)["root of notes"]["state"] == "broken"


def test_a_server_of_this_machine_is_called_and_a_remote_one_is_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments, **_: called.append(arguments))
    with socket.create_server(("127.0.0.1", 0)) as server:
        place.settings(collections({"notes": "notes"}) + SERVED.format(port=server.getsockname()[1]))
        assert checks(place, "--set", "synthesis.model=far")["answers model"]["state"] == "not checked"
        assert called == []
        monkeypatch.undo()
        monkeypatch.chdir(place.folder)
        assert checks(place, "--set", "synthesis.model=near")["answers model"]["state"] == "ok"
    assert checks(place, "--set", "synthesis.model=near")["answers model"]["state"] == "broken"
    assert place.run("doctor", "--set", "synthesis.model=near").code == 1


def models(place: Place, *overrides: str) -> dict[str, dict[str, Any]]:
    flags = [part for override in overrides for part in ("--set", override)]
    return {entry["role"]: entry for entry in place.run("models", "--json", *flags).json}


def test_bundled_models_are_named_with_digest_place_and_licence(place: Place) -> None:
    found = models(place)
    for role, licence in (("embedding", "MIT"), ("rerank", "Apache-2.0")):
        assert (found[role]["kind"], found[role]["licence"], found[role]["problem"]) == ("bundled", licence, None)
        assert len(found[role]["sha256"]) == 64
        assert Path(found[role]["where"]).is_file()
    assert found["answers"]["model"] == "extractive"


def test_served_remote_missing_and_switched_off_models_are_told_apart(place: Place) -> None:
    place.settings(collections({"notes": "notes"}) + SERVED.format(port=9))
    found = models(place, "embedding.model=near", "synthesis.model=far", "rerank.enabled=false")
    assert set(found) == {"embedding", "answers"}
    assert (found["embedding"]["remote"], found["answers"]["remote"]) == (False, True)
    assert models(place, "embedding.model=org/nosuch")["embedding"]["problem"]
    assert models(place, "synthesis.model=nosuch")["answers"]["problem"]
    assert checks(place, "--set", "embedding.model=org/nosuch")["embedding model"]["state"] == "broken"


def test_a_model_folder_tells_its_licence(place: Place) -> None:
    folder = place.folder / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n", encoding="utf-8")
    assert models(place, f"embedding.model={folder}")["embedding"]["licence"] == "apache-2.0"


def test_a_hub_that_cannot_be_reached_is_one_sentence(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wherein.pipelines.model_pull._download", _unreachable)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    ended = place.run("models", "pull", "--set", "embedding.model=org/model")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert "org/model" in ended.err
    assert "network" in ended.err


def _unreachable(*_arguments: object) -> Path:
    raise ConnectionError("no route")


def test_there_is_nothing_to_fetch_without_a_hub_model(place: Place) -> None:
    assert place.run("models", "pull", "--json").json == []


def test_packages_in_range_are_no_complaint_and_others_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert requirements.unmet() == []
    bounds = ["typer<0.1", "nosuchpackage>=1", "numpy>=2; python_version < '3'"]
    monkeypatch.setattr(requirements, "_own", lambda: bounds)
    assert [name for name, _ in requirements.unmet()] == ["nosuchpackage", "typer"]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("one?\n\n two? \r\n", ["one?", "two?"]),
        ('{"id": "q1", "question": "one?", "answer": "x"}\n', ["one?"]),
        ("\ufeffone?", ["one?"]),
    ],
)
def test_questions_are_read_one_a_line_or_as_json_lines(tmp_path: Path, text: str, questions: list[str]) -> None:
    file = tmp_path / "questions"
    file.write_text(text, encoding="utf-8")
    assert _read(file) == questions


@pytest.mark.parametrize("content", [b"", b"\n \n", b'{"id": 1}', b"{broken", b"\xff\xfe", b'{"question": " "}'])
def test_a_file_without_questions_is_wrong_usage(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "questions"
    file.write_bytes(content)
    with pytest.raises(WhereinError) as caught:
        _read(file)
    assert caught.value.code == 2


def test_a_file_that_cannot_be_read_is_wrong_usage(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nosuch"):
        with pytest.raises(WhereinError):
            _read(path)
    shutil.rmtree(tmp_path)
