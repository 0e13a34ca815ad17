"""After an ingest the index equals that of a fresh workspace over the same bytes, whatever happened before."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from store import disk, hold
from store.errors import WhereinError
from store.purge import purge
from tasks import read
from tests.property.folder import Folder, use
from tests.support.embedder import HashedWords

NAMES = ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.md", "2021-03-04.txt")
WORDS = ("ale", "bee", "cod", "dew", "elm", "fir", "gum", "RX-4471", "Zoë", "\n\n", "\n\n# Gum tree\n\n")
DAY_NS = 86_400_000_000_000
IN_MEMORY = Path("/dev/shm")
"""Where a sync costs nothing, on systems that have it."""
texts = st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join)
names = st.sampled_from(NAMES)


class Stopped(BaseException):
    """Stands for a process that dies."""


class Refresh(RuleBasedStateMachine):
    """Edits of a folder, faults of the disk, and ingests, in any order.

    `unreadable` holds inodes; `good` the bytes each path had when it was last read, as of the last whole ingest.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.embedder = HashedWords()
        use(self.patch, self.embedder)
        self.unreadable: set[int] = set()
        self.patch.setattr(read, "_read_held", self._guarded(read._read_held))
        self.place = Path(tempfile.mkdtemp(prefix="equality-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
        self.folder = Folder(self.place / "old")
        self.size, self.context = 16, "none"
        self.pattern = ""
        self.good: dict[str, bytes] = {}
        self.number = 0

    def _guarded(self, read_held: object) -> object:
        def guarded(descriptor: int, max_bytes: int | None) -> object:
            if os.fstat(descriptor).st_ino in self.unreadable:
                raise PermissionError(13, "Permission denied")
            return read_held(descriptor, max_bytes)  # type: ignore[operator]

        return guarded

    def teardown(self) -> None:
        disk.inject(None)
        try:
            if sys.exc_info()[0] is None:
                self.ingest_and_compare()
        finally:
            self.patch.undo()
            shutil.rmtree(self.place, ignore_errors=True)

    def present(self) -> list[str]:
        root = self.folder.files
        return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and not p.name.startswith("."))

    def _path(self, name: str) -> Path:
        return self.folder.files / name

    def _readable(self, name: str) -> bool:
        return self._path(name).stat().st_ino not in self.unreadable

    @initialize(first=texts)
    def start(self, first: str) -> None:
        self.folder.write("a.txt", first.encode())

    # ── what people do to files ──────────────────────────────────────────────────────────────────
    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        self.folder.write(name, text.encode())

    @rule(name=names, text=texts)
    def append(self, name: str, text: str) -> None:
        if name in self.present():
            self.folder.write(name, self._path(name).read_bytes() + text.encode())

    @rule(name=names, keep=st.integers(0, 200))
    def truncate(self, name: str, keep: int) -> None:
        if name in self.present():
            self.folder.write(name, self._path(name).read_bytes()[:keep])

    @rule(name=names, old=st.sampled_from(["ale", "bee"]), new=st.sampled_from(["cod", "dew"]))
    def edit_with_the_same_size_and_time(self, name: str, old: str, new: str) -> None:
        if name in self.present():
            stat = self._path(name).stat()
            changed = self._path(name).read_bytes().replace(old.encode(), new.encode())
            self.folder.write(name, changed, stat.st_mtime_ns)

    @rule(name=names, text=texts, days=st.integers(1, 4000))
    def edit_with_an_older_time(self, name: str, text: str, days: int) -> None:
        if name in self.present():
            self.folder.write(name, text.encode(), self._path(name).stat().st_mtime_ns - days * DAY_NS)

    @rule(name=names, days=st.integers(-4000, 4000))
    def touch(self, name: str, days: int) -> None:
        if name in self.present():
            time = 1_700_000_000 + days * 86400
            os.utime(self._path(name), (time, time))

    @rule(name=names, other=names)
    def rename(self, name: str, other: str) -> None:
        if name in self.present() and name != other:
            self._path(other).parent.mkdir(parents=True, exist_ok=True)
            self._path(name).replace(self._path(other))

    @rule(name=names, other=names)
    def swap(self, name: str, other: str) -> None:
        if {name, other} <= set(self.present()) and name != other:
            first, second = self._path(name), self._path(other)
            spare = self._path(".spare")
            first.replace(spare)
            second.replace(first)
            spare.replace(second)

    @rule(name=names, other=names)
    def copy(self, name: str, other: str) -> None:
        if name in self.present() and name != other:
            self.folder.write(other, self._path(name).read_bytes())

    @rule(name=names)
    def delete(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    @rule(name=names, same_time=st.booleans())
    def create_again(self, name: str, same_time: bool) -> None:
        """The same bytes in a new file."""
        if name in self.present():
            data, time = self._path(name).read_bytes(), self._path(name).stat().st_mtime_ns
            kept = self._path(name).rename(self._path(".kept"))  # or the new file might be given the same inode
            self.folder.write(name, data, time if same_time else None)
            kept.unlink()

    @rule()
    def move_folder(self) -> None:
        source, target = self._path("sub"), self._path("moved")
        if source.exists() and not target.exists():
            source.rename(target)

    @rule(pattern=st.sampled_from(["", "a.txt", "sub/", "*.md"]))
    def ignore(self, pattern: str) -> None:
        self.pattern = pattern
        self.folder.write(".whereinignore", pattern.encode())

    @rule(name=names)
    def make_unreadable(self, name: str) -> None:
        if name in self.present():
            self._refresh()  # so that what was last read of it is known
            self.unreadable.add(self._path(name).stat().st_ino)

    @precondition(lambda self: self.unreadable)
    @rule()
    def make_readable(self) -> None:
        self.unreadable.clear()

    @rule(size=st.sampled_from([16, 24]), context=st.sampled_from(["none", "headings"]))
    def change_settings(self, size: int, context: str) -> None:
        self.size, self.context = size, context
        self.folder.configure(size, context)

    # ── what happens to the index ────────────────────────────────────────────────────────────────
    @rule(number=st.integers(0, 20))
    def lose_a_derived_file(self, number: int) -> None:
        files = sorted((self.folder.index / "derived").glob("*"))
        if files:
            files[number % len(files)].unlink()

    @rule()
    def move_the_workspace(self) -> None:
        """Everything is opened from other files, with other times."""
        self.number += 1
        place = self.place / f"moved{self.number}"
        place.mkdir()
        shutil.move(self.folder.files, place / "files")
        if self.folder.index.exists():
            shutil.copytree(self.folder.place / ".wherein", place / ".wherein", copy_function=shutil.copyfile)
        shutil.rmtree(self.folder.place)
        self.folder = Folder(place, self.size, self.context)

    @rule()
    def purge(self) -> None:
        if self.folder.generation():
            purge(self.folder.index, "c")

    @rule()
    def go_back_and_on_again(self) -> None:
        number = self.folder.generation()
        if number:
            hold.hold(self.folder.index, "c", number)
            before = self.folder.state()
            self._refresh()
            assert self.folder.state() == before
            hold.release(self.folder.index, "c", 2)

    @rule(at=st.integers(0, 120), full=st.booleans())
    def ingest_with_a_fault(self, at: int, full: bool) -> None:
        self._fault(at, full)
        try:
            self.folder.ingest(rebuild=self.settings_differ())
        except (Stopped, WhereinError):
            pass
        finally:
            disk.inject(None)
        if self.unreadable:
            self._refresh()  # else it would be open which version was read last

    def _fault(self, at: int, full: bool) -> None:
        """Let one call of the disk fail, before or after it did its work."""
        calls = 0

        def strike(_operation: str) -> None:
            nonlocal calls
            calls += 1
            if calls == at + 1:
                raise OSError(28, "No space left on device") if full else Stopped

        disk.inject(strike)

    def settings_differ(self) -> bool:
        return (self.size, self.context) != self.folder.indexed_with()

    def _refresh(self) -> None:
        self.folder.ingest(rebuild=self.settings_differ())
        self.good = {name: data for name in self.present() if (data := self._last_read(name)) is not None}

    def _last_read(self, name: str) -> bytes | None:
        if self._excluded(name):
            return None
        return self._path(name).read_bytes() if self._readable(name) else self.good.get(name)

    def _excluded(self, name: str) -> bool:
        if self.pattern.endswith("/"):
            return self.pattern[:-1] in name.split("/")[:-1]
        return fnmatch(name.rpartition("/")[2], self.pattern)

    # ── what must hold ───────────────────────────────────────────────────────────────────────────
    @rule()
    def ingest_and_compare(self) -> None:
        self._refresh()
        self.number += 1
        fresh = Folder(self.place / f"fresh{self.number}", self.size, self.context)
        for name, data in self.good.items():
            fresh.write(name, data)
        fresh.ingest()
        assert self.folder.state() == fresh.state()
        if self.folder.state()["rows"]:
            assert self.folder.answers(self.number) == fresh.answers(self.number)
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
    max_examples=int(os.environ.get("WHEREIN_EXAMPLES", "200")),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
