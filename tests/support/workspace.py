"""A workspace in a temporary folder, with the fake server as its models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import toml
from tests.support.process import Background, Result, start
from tests.support.stub import Stub


def stub_settings(stub: Stub) -> dict[str, Any]:
    """Settings with every model at the stub and no reranker."""
    served = {"provider": "openai-compatible", "base_url": stub.v1}
    return {
        "collections": {"notes": {"path": "notes"}},
        "models": {
            # Over the protocol whose client is quickest to import: most tests are about something else.
            "stubembed": {"provider": "ollama", "base_url": stub.url, "model": "stub-embed"},
            "stubchat": {**served, "model": "stub-chat"},
            "stubollama": {"provider": "ollama", "base_url": stub.url, "model": "stub-chat"},
        },
        "embedding": {"model": "stubembed", "window": 512},
        "rerank": {"enabled": False},
        "synthesis": {"model": "stubchat"},
    }


class Workspace:
    """A folder with `wherein.toml`, one collection `notes`, and shorthands for running commands."""

    def __init__(self, root: Path, stub: Stub) -> None:
        self.root = root
        self.stub = stub
        self.prefix: tuple[str, ...] = ()
        self.home = root.parent / f"{root.name}-home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.notes = root / "notes"
        self.notes.mkdir(parents=True, exist_ok=True)
        self.settings = stub_settings(stub)
        self.configure({})

    @property
    def state(self) -> Path:
        """Where the indexes live."""
        return self.root / ".wherein"

    def configure(self, changes: dict[str, Any]) -> None:
        """Merge changes into `wherein.toml`; None removes a key."""
        self.settings = toml.merged(self.settings, changes)
        (self.root / "wherein.toml").write_text(toml.dumps(self.settings), encoding="utf-8")

    def add_model(self, name: str, model: str, provider: str = "openai-compatible", **more: Any) -> None:
        """One more model at the stub, under `[models.NAME]`."""
        base_url = self.stub.url if provider == "ollama" else self.stub.v1
        spec = {"provider": provider, "base_url": base_url, "model": model, **more}
        self.configure({"models": {name: spec}})

    # ── files ────────────────────────────────────────────────────────────────────────────────────
    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the collection; its folders come with it."""
        path = self.notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def write_all(self, files: Mapping[str, str | bytes]) -> None:
        """Write several files of the collection."""
        for name, content in files.items():
            self.write(name, content)

    # ── commands ─────────────────────────────────────────────────────────────────────────────────
    def start(self, *args: str, cwd: Path | None = None, **options: Any) -> Background:
        """Start a command and go on."""
        return start(*args, cwd=cwd or self.root, home=self.home, prefix=self.prefix, **options)

    def run(self, *args: str, timeout: float = 60, **options: Any) -> Result:
        """Run a command to its end."""
        return self.start(*args, **options).wait(timeout)

    def ingest(self, *args: str, code: int = 0, **options: Any) -> dict[str, Any]:
        """Ingest and return the report of the first collection."""
        reports: list[dict[str, Any]] = self.run("ingest", "--json", *args, **options).expect(code).json
        return reports[0]

    def search(self, query: str, *args: str, code: int = 0, **options: Any) -> dict[str, Any]:
        """Search and return the JSON answer."""
        answer: dict[str, Any] = self.run("search", query, "--json", *args, **options).expect(code).json
        return answer

    def ask(self, question: str, *args: str, code: int = 0, **options: Any) -> dict[str, Any]:
        """Ask and return the JSON answer."""
        answer: dict[str, Any] = self.run("ask", question, "--json", *args, **options).expect(code).json
        return answer

    def compare(self, *args: str, code: int = 0, **options: Any) -> dict[str, Any]:
        """Compare and return the JSON report."""
        report: dict[str, Any] = self.run("compare", "--json", *args, **options).expect(code).json
        return report

    def status(self, **options: Any) -> dict[str, Any]:
        """The status of the first collection."""
        entry: dict[str, Any] = self.run("status", "--json", **options).expect(0, 3).json["collections"][0]
        return entry

    def files(self, **options: Any) -> dict[str, dict[str, Any]]:
        """The listed files by path."""
        rows = self.run("files", "--json", **options).expect(0, 3).json
        return {row["path"]: row for row in rows}

    def show(self, what: str, code: int = 0, **options: Any) -> str:
        """What `show` prints."""
        return self.run("show", what, **options).expect(code).stdout


def paths(answer: dict[str, Any]) -> list[str]:
    """The paths of the hits, in order."""
    return [hit["path"] for hit in answer["hits"]]


def tree_digest(folder: Path) -> dict[str, str]:
    """The sha256 of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def tree_bytes(folder: Path) -> int:
    """The size of everything below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def open_workspace(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Iterator[Workspace]:
    """A workspace with its own stub, for as long as the block runs."""
    folder.mkdir(parents=True, exist_ok=True)
    with Stub() as stub:
        workspace = Workspace(folder / "ws", stub)
        workspace.write_all(files or {})
        yield workspace
