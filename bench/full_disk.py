"""Let the disk fill up under ingests: `python -m bench.full_disk [--rounds 60] [--seed 1]`, as root on Linux.

The state of a workspace lies on a small file system of its own, and something else takes all of it but a random rest
before a first ingest, a refresh after random edits, or a rebuild. An ingest that finds no space must end with 1 or 3
and one sentence; the last generation must be whole and answer while the disk is still full. Then the other thing goes:
the next run must complete, equal a fresh workspace over the same files, and send no text whose embedding was stored.
Exit 1 if anything is amiss, 2 if nothing can be mounted here.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wherein
from bench import index_state
from bench.crash import over
from bench.random_edits import RandomNotes
from tests.support.process import Result, start
from tests.support.stub import Stub

FILES = 24
QUERIES = 5
DISK_KB = 50_000
BLOCK_KB = 4
KINDS = {"first": (), "refresh": (), "rebuild": ("--rebuild",)}
SENTENCE = re.compile(r"^.*No space left to write [^\n]+: free some space, then run the command again\.$")


@contextmanager
def disk(place: Path) -> Iterator[None]:
    """A file system of its own at `place`."""
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "tmpfs", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def crowded(place: Path, kilobytes: int) -> Iterator[None]:
    """No more than so many kilobytes free at `place`."""
    ballast = place / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, shutil.disk_usage(place).free - kilobytes * 1000))
    try:
        yield
    finally:
        ballast.unlink()


@dataclass
class Trial:
    """Workspaces on small disks, and what was found."""

    place: Path
    stub: Stub
    chance: random.Random
    violations: list[str] = field(default_factory=list)
    where: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)
    needed_kb: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 3_000))
    """The rest is drawn up to this; it follows what runs of a kind need."""
    doing: str = ""
    published: int = 0
    """Runs that found no space only after the new generation was in force."""

    def __post_init__(self) -> None:
        self.notes = RandomNotes(self.place / "notes", self.chance)
        self.notes.fill(FILES)
        self.queries = self.notes.queries(QUERIES)
        (self.place / "home").mkdir()

    def open(self, name: str) -> wherein.Workspace:
        """A workspace over the notes."""
        return over(self.place / name, self.notes.root, self.stub.url)

    def run(self, workspace: wherein.Workspace, *args: str) -> Result:
        return start(*args, cwd=workspace.folder, home=self.place / "home").wait()

    def round(self) -> None:
        """One ingest that has too little space, or just enough."""
        kind = self.chance.choice(list(KINDS))
        workspace = self.open("small")
        with disk(workspace.state):
            before = None if kind == "first" else self._indexed(workspace)
            free_kb = self.chance.randint(BLOCK_KB, self.needed_kb[kind])
            self.doing = f"{kind} with {free_kb} kB"
            with crowded(workspace.state, free_kb):
                result = self.run(workspace, "ingest", "--allow-deletes", *KINDS[kind])
                self._learn(kind, free_kb, failed=result.code != 0)
                if result.code:
                    self._full(kind, workspace, result, before)
            if result.code:
                self._recover(workspace)
        shutil.rmtree(workspace.folder)

    def _indexed(self, workspace: wherein.Workspace) -> dict[str, Any]:
        """What an index holds before the folder is edited."""
        for _ in range(self.chance.randint(1, 3)):
            self._expect(self.run(workspace, "ingest", "--allow-deletes").code == 0, "an ingest with space failed")
            before = index_state.contents(workspace)
            self.notes.edit()
        return before

    def _learn(self, kind: str, free_kb: int, *, failed: bool) -> None:
        needed = self.needed_kb[kind]
        self.needed_kb[kind] = max(needed, free_kb * 5 // 4) if failed else max(60, (needed + free_kb) // 2)

    def _full(self, kind: str, workspace: wherein.Workspace, result: Result, before: dict[str, Any] | None) -> None:
        self.full[kind] += 1
        self.where[self._place(result)] += 1
        self._expect(result.code in (1, 3), f"exit {result.code}")
        said = [line for line in result.stderr.splitlines() if line.strip()]
        self._expect(len(said) == 1 and SENTENCE.match(said[0]) is not None, f"said {result.stdout}{result.stderr}")
        if before is not None:
            self._answers(workspace, before)

    def _place(self, result: Result) -> str:
        """What could not be written, without numbers."""
        found = re.search(r"No space left to write (\S.*?): free", result.stderr)
        name = found.group(1).rpartition("/")[2] if found else "?"
        return re.sub(r"-\d+", "", name)

    def _answers(self, workspace: wherein.Workspace, before: dict[str, Any]) -> None:
        """The generation in force, on the full disk: that of the last run that ended well, or the new one, complete."""
        found = index_state.contents(workspace)
        if found != before:
            self.published += 1
            self._expect(found == self._fresh()[0], "the generation in force is neither the old one nor the new one")
        query = self.chance.choice(self.queries)
        for mode in index_state.MODES:
            found = self.run(workspace, "search", query, "--mode", mode)
            self._expect(found.code in (0, 4), f"on a full disk: {found}")
        status = self.run(workspace, "status")
        self._expect(status.code == 0, f"on a full disk: {status}")

    def _recover(self, workspace: wherein.Workspace) -> None:
        folder = workspace.folder_of(index_state.COLLECTION)
        stored = index_state.remembered(folder) if index_state.generation(workspace) else set()
        self.stub.forget()
        result = self.run(workspace, "ingest", "--json", "--allow-deletes")
        self._expect(result.code == 0, f"with space again: {result}")
        sent = index_state.keys_of(workspace, self.stub.embedded)
        self._expect(not stored & set(sent), "a text whose embedding was stored was sent again")
        contents, answers = self._fresh()
        self._expect(index_state.contents(workspace) == contents, "the index differs from a fresh workspace")
        self._expect(index_state.answers(workspace, self.queries) == answers, "answers differ from a fresh workspace")

    def _fresh(self) -> tuple[dict[str, Any], list[Any]]:
        """Contents and answers of a new workspace over the same files."""
        fresh = self.open("fresh")
        wherein.ingest(workspace=fresh)
        found = index_state.contents(fresh), index_state.answers(fresh, self.queries)
        shutil.rmtree(fresh.folder)
        return found

    def _expect(self, held: bool, otherwise: str) -> None:
        if not held:
            self.violations.append(f"{self.doing}: {otherwise}")
            print(f"\n{self.violations[-1]}", file=sys.stderr, flush=True)


def main() -> int:
    """Run the trial and print the summary; 1 if anything was amiss, 2 if nothing can be mounted here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-full-disk-") as place, Stub() as stub:
        stub.default_dim = 384
        trial = Trial(Path(place), stub, random.Random(given.seed))
        try:
            for number in range(1, given.rounds + 1):
                trial.round()
                progress = f"\r{number} disks, {trial.full.total()} filled up, {len(trial.violations)} violations"
                print(progress, end="", file=sys.stderr, flush=True)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            print(f"A file system of a given size cannot be mounted here (root is needed): {error}", file=sys.stderr)
            return 2
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(trial.full.items()))
    print(f"\n{given.rounds} disks, {trial.full.total()} of them filled up under an ingest: {kinds}")
    print(f"{trial.published} of them after the new generation was in force")
    print("what could not be written: " + ", ".join(f"{n} {what}" for what, n in sorted(trial.where.items())))
    print("violations: " + ("; ".join(trial.violations) or "none"))
    return 1 if trial.violations else 0


if __name__ == "__main__":
    sys.exit(main())
