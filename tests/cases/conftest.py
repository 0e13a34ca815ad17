"""Fixtures of the acceptance tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.stub import Stub
from tests.support.workspace import Workspace, open_workspace

_NOBODY = 65534


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """An empty workspace with its own fake model server."""
    with open_workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture
def stub(ws: Workspace) -> Stub:
    """The fake model server of the workspace."""
    return ws.stub


@pytest.fixture
def spy() -> Iterator[Stub]:
    """A second server that nobody has any business to call."""
    with Stub() as server:
        yield server


def _without_privileges() -> tuple[str, ...]:
    """The command prefix that drops root, empty when there is none to drop."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("permissions mean nothing to root, and setpriv is not installed")
    prefix = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
    if subprocess.run([*prefix, sys.executable, "-c", "pass"], capture_output=True, check=False).returncode:
        pytest.skip("permissions mean nothing to root, and nobody may not run this interpreter")
    return prefix


@pytest.fixture
def plain_user_ws() -> Iterator[Workspace]:
    """A workspace whose commands run without the power to read everything.

    Files written by the test must be handed over with `give_away` before a run.
    """
    prefix = _without_privileges()
    folder = Path(tempfile.mkdtemp(prefix="wherein-cases-"))
    folder.chmod(0o755)
    try:
        with open_workspace(folder) as workspace:
            workspace.prefix = prefix
            yield workspace
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)


def give_away(workspace: Workspace) -> None:
    """Hand the workspace and its home to the user the commands run as."""
    if not workspace.prefix:
        return
    for top in (workspace.root, workspace.home):
        for path in [top, *top.rglob("*")]:
            os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
