"""After an ingest the index equals that of a fresh workspace over the same bytes, whatever happened before."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from store import disk
from store.errors import WhereinError
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords

NAMES = ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.md", "2021-03-04.txt")
WORDS = ("ale", "bee", "cod", "dew", "elm", "fir", "gum", "RX-4471", "Zoë", "\n\n")
texts = st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join)
names = st.sampled_from(NAMES)


class Stopped(BaseException):
    """Stands for a process that dies."""


class Refresh(RuleBasedStateMachine):
    """Edits of a folder, faults of the disk, and ingests, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.embedder = HashedWords()
        use(self.patch, self.embedder)
        self.place = Path(tempfile.mkdtemp(prefix="equality-"))
        self.folder = Folder(self.place / "old")
        self.size = 16
        self.hidden: dict[str, bytes] = {}
        self.good: dict[str, bytes] = {}
        self.fresh_number = 0

    def teardown(self) -> None:
        disk.inject(None)
        self.patch.undo()
        shutil.rmtree(self.place, ignore_errors=True)

    def present(self) -> list[str]:
        root = self.folder.files
        return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and not p.name.startswith("."))

    @initialize(first=texts)
    def start(self, first: str) -> None:
        self.folder.write("a.txt", first.encode())

    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        self.folder.write(name, text.encode())

    @rule(name=names, text=texts)
    def append(self, name: str, text: str) -> None:
        if name in self.present():
            self.folder.write(name, (self.folder.files / name).read_bytes() + text.encode())

    @rule(name=names, keep=st.integers(0, 200))
    def truncate(self, name: str, keep: int) -> None:
        if name in self.present():
            self.folder.write(name, (self.folder.files / name).read_bytes()[:keep])

    @rule(name=names, old=st.sampled_from(["ale", "bee"]), new=st.sampled_from(["cod", "dew"]))
    def edit_with_the_same_size_and_time(self, name: str, old: str, new: str) -> None:
        if name in self.present():
            path = self.folder.files / name
            stat = path.stat()
            self.folder.write(name, path.read_bytes().replace(old.encode(), new.encode()), stat.st_mtime_ns)

    @rule(name=names, days=st.integers(-4000, 4000))
    def touch(self, name: str, days: int) -> None:
        if name in self.present():
            time = 1_700_000_000 + days * 86400
            os.utime(self.folder.files / name, (time, time))

    @rule(name=names, other=names)
    def rename(self, name: str, other: str) -> None:
        if name in self.present() and name != other:
            (self.folder.files / other).parent.mkdir(parents=True, exist_ok=True)
            (self.folder.files / name).replace(self.folder.files / other)

    @rule(name=names, other=names)
    def swap(self, name: str, other: str) -> None:
        if {name, other} <= set(self.present()) and name != other:
            first, second = (self.folder.files / n for n in (name, other))
            spare = self.folder.files / ".spare"
            first.replace(spare)
            second.replace(first)
            spare.replace(second)

    @rule(name=names, other=names)
    def copy(self, name: str, other: str) -> None:
        if name in self.present() and name != other:
            self.folder.write(other, (self.folder.files / name).read_bytes())

    @rule(name=names)
    def delete(self, name: str) -> None:
        (self.folder.files / name).unlink(missing_ok=True)

    @rule()
    def move_folder(self) -> None:
        source, target = self.folder.files / "sub", self.folder.files / "moved"
        if source.exists() and not target.exists():
            source.rename(target)

    @rule(pattern=st.sampled_from(["", "a.txt", "sub/", "*.md"]))
    def ignore(self, pattern: str) -> None:
        self.folder.write(".whereinignore", pattern.encode())

    @rule(size=st.sampled_from([16, 24]))
    def change_settings(self, size: int) -> None:
        self.size = size
        self.folder.configure(size)

    @rule(at=st.integers(0, 40), full=st.booleans())
    def ingest_with_a_fault(self, at: int, full: bool) -> None:
        self._fault(at, full)
        try:
            self._refresh()
        except (Stopped, WhereinError):
            pass
        finally:
            disk.inject(None)

    def _fault(self, at: int, full: bool) -> None:
        calls = 0

        def strike(_operation: str) -> None:
            nonlocal calls
            calls += 1
            if calls == at + 1:
                raise OSError(28, "No space left on device") if full else Stopped

        disk.inject(strike)

    def _refresh(self) -> None:
        try:
            self.folder.ingest()
        except WhereinError as error:
            if error.kind != "settings-differ":
                raise
            self.folder.ingest(rebuild=True)

    @rule()
    def ingest_and_compare(self) -> None:
        self._refresh()
        self.fresh_number += 1
        fresh = Folder(self.place / f"fresh{self.fresh_number}", self.size)
        shutil.copytree(self.folder.files, fresh.files, dirs_exist_ok=True)
        fresh.ingest()
        assert self.folder.state() == fresh.state()
        if self.folder.state()["rows"]:
            assert self.folder.answers() == fresh.answers()
        shutil.rmtree(fresh.place)

    @rule()
    def ingest_twice_embeds_nothing(self) -> None:
        self._refresh()
        before = len(self.embedder.sent_texts)
        report = self.folder.ingest()
        assert report.embedded == 0
        assert len(self.embedder.sent_texts) == before


TestRefresh = Refresh.TestCase
TestRefresh.settings = settings(
    max_examples=int(os.environ.get("WHEREIN_EXAMPLES", "40")),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
