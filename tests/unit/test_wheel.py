"""The wheel: what is in it, and that it runs where files are named as its packages are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.process import PROJECT, clean_environment
from tests.support.workspace import Workspace, open_workspace

PACKAGES = {"flows", "prompts", "store", "tasks", "wherein"}
OURS = ("import json, sys; from flows import environment, server_process; import store.errors, tasks.stage;"
        "print(json.dumps([server_process.__file__, store.errors.__file__, environment.packages({})]))")  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the tree in which an index lies about."""
    source, out = tmp_path_factory.mktemp("tree") / "wherein", tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "results", "index")
    shutil.copytree(PROJECT, source, ignore=ignored)
    (source / "store" / "index").mkdir()
    (source / "store" / "index" / "catalog.sqlite").write_bytes(b"text of a person")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(out), str(source)]
    _run(sys.executable, "-m", "pip", "--quiet", *build, cwd=out, home=out)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own with the wheel, and with the libraries of this one in reach."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    _run(sys.executable, "-m", "pip", "--python", str(python), *install, cwd=folder, home=folder)
    return python


def _run(*command: str, cwd: Path, home: Path) -> str:
    env = clean_environment(home) | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    del env["PYTHONPATH"]
    ended = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=180, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_wheel_holds_the_five_packages_with_their_templates_and_nothing_else(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert {name.partition("/")[0] for name in names} == PACKAGES
    assert {Path(name).suffix for name in names} == {".py", ".md", ".typed"}
    templates = sorted(path.name for path in (PROJECT / "prompts").glob("*.md"))
    assert sorted(Path(name).name for name in names if name.endswith(".md")) == templates
    modules = {path.relative_to(PROJECT).as_posix() for name in PACKAGES for path in (PROJECT / name).rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules


def test_the_installed_program_runs_in_a_folder_with_files_named_as_its_packages(python: Path, tmp_path: Path) -> None:
    with open_workspace(tmp_path, {"a.txt": "The pelican code is 7."}) as ws:
        _name_alike(ws)
        script = str(python.with_name("wherein"))
        (ingested,) = json.loads(_run(script, "ingest", "--json", cwd=ws.root, home=ws.home))
        assert ingested["files"]["added"] == 1
        found = json.loads(_run(str(python), "-m", "wherein", "search", "pelican", "--json", cwd=ws.root, home=ws.home))
        assert found["hits"][0]["path"] == "a.txt"
        child = _run(str(python), "-P", "-c", OURS, cwd=ws.root, home=ws.home)
    server, errors, path = json.loads(child)
    assert {Path(file).is_relative_to(python.parents[1]) for file in (server, errors)} == {True}
    assert path == {}


def _name_alike(ws: Workspace) -> None:
    for name in ("tasks.py", "prompts.py", "flows.py", "prefect.py", "store/__init__.py"):
        file = ws.root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise ImportError('this is not the package')\n", encoding="utf-8")
