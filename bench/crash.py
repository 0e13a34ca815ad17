"""Kill ingests at random instants: `python -m bench.crash [--kills 100] [--seed 1]`.

Between random edits of a folder an ingest is killed (SIGKILL) at an instant of any part of its life; now and then it is
the first one, which has no index yet. After each kill the index must still be one whole generation. Then an ingest
runs to its end, and its index must equal that of a fresh workspace over the same files: chunks, vectors, keyword
index, and hits, order and scores of a set of queries in every mode. No text whose embedding was stored may have been
sent to the model again. The model is a stub behind HTTP that counts. A killed process loses nothing that it has
written, so all of it lies in memory where the system has a folder there. Exit 1 if anything is amiss.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wherein
from bench import index_state
from bench.crash_aim import Aim
from bench.random_edits import RandomNotes
from tests.support.faults import Fault, always
from tests.support.stub import Stub

FILES = 36
IN_MEMORY = Path("/dev/shm")
QUERIES = 8
DELAY_SECONDS = 0.02
ANEW = 0.1
"""How often a round begins without an index."""
SETTINGS = """[collections.notes]
path = "{notes}"
[chunking]
size = 48
overlap = 5
[models.stub]
provider = "ollama"
base_url = "{address}"
model = "stub-embed"
[embedding]
model = "stub"
window = 512
batch = 8
[rerank]
enabled = false
"""


def over(folder: Path, notes: Path, address: str) -> wherein.Workspace:
    """A workspace over a folder of notes, with the model at an address."""
    folder.mkdir(exist_ok=True)
    (folder / "wherein.toml").write_text(SETTINGS.format(notes=notes, address=address), encoding="utf-8")
    return wherein.Workspace.find(folder)


@dataclass
class Trial:
    """One workspace that is killed over and over, and what was found."""

    place: Path
    stub: Stub
    chance: random.Random
    violations: list[str] = field(default_factory=list)
    moments: Counter[str] = field(default_factory=Counter)
    completed: int = 0
    reused: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        self.notes = RandomNotes(self.place / "notes", self.chance)
        self.notes.fill(FILES)
        self.queries = self.notes.queries(QUERIES)
        self.workspace = self.open("killed")
        self.folder = self.workspace.folder_of(index_state.COLLECTION)
        self.aim = Aim(self.place, self.stub, self.chance)
        self.before: tuple[int, dict[str, Any]] = (0, {})

    @property
    def kills(self) -> int:
        return self.moments.total()

    def open(self, name: str) -> wherein.Workspace:
        """A workspace over the notes."""
        return over(self.place / name, self.notes.root, self.stub.url)

    def round(self) -> None:
        """Edits and kills, then a run that is left alone."""
        if self.chance.random() < ANEW:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.before = (0, {})
        for _ in range(self.chance.choice((1, 2, 3, 4, 6))):
            self.notes.edit()
            if self._killed():
                self._check_whole()
            else:
                self.before = index_state.generation(self.workspace), index_state.contents(self.workspace)
        self._check_recovery()

    def _killed(self) -> bool:
        """Kill an ingest whose model takes its time; False if it ended by itself first."""
        self.stub.rule("embed", always(Fault(delay_seconds=DELAY_SECONDS)))
        try:
            return self.aim.kill(self.workspace.folder)
        finally:
            self.stub.calm()

    def _check_whole(self) -> None:
        """The generation in force is the one before, untouched, or the new one, complete."""
        number, contents = index_state.generation(self.workspace), index_state.contents(self.workspace)
        paid = set(index_state.keys_of(self.workspace, [t for s in self._answered() for t in s]))
        self.lost = max(self.lost, len(paid - index_state.remembered(self.folder)))
        self._count(number)
        if number == self.before[0]:
            self._expect(contents == self.before[1] or number == 0, "a kill changed the generation in force")
        else:
            self._equal(contents, self._fresh()[0], "a generation published by a killed run is not complete")
            self.before = (number, contents)

    def _answered(self) -> list[list[str]]:
        return [seen.texts for seen in self.stub.requests("embed") if seen.answered]

    def _count(self, number: int) -> None:
        if number != self.before[0]:
            self.moments["after publishing"] += 1
        elif index_state.staged(self.folder):
            self.moments["with files written, before publishing"] += 1
        elif self.stub.requests("embed"):
            self.moments["while embedding"] += 1
        else:
            self.moments["before the first text was sent"] += 1

    def _check_recovery(self) -> None:
        stored = index_state.remembered(self.folder)
        self.stub.forget()
        report = json.loads(self.aim.run(self.workspace.folder).wait().expect(0).stdout)[0]
        sent = index_state.keys_of(self.workspace, self.stub.embedded)
        self._expect(not stored & set(sent), "a text whose embedding was stored was sent again")
        self._expect(len(sent) == len(set(sent)), "a text was sent twice in one run")
        self.reused += report["reused"]
        contents, answers = self._fresh()
        found = index_state.contents(self.workspace)
        self._equal(found, contents, "an index differs from a fresh workspace")
        self._expect(index_state.answers(self.workspace, self.queries) == answers, "answers differ from a fresh one")
        self.before = (index_state.generation(self.workspace), found)
        self.completed += 1

    def _fresh(self) -> tuple[dict[str, Any], list[Any]]:
        workspace = self.open("fresh")
        wherein.ingest(workspace=workspace)
        found = index_state.contents(workspace), index_state.answers(workspace, self.queries)
        shutil.rmtree(workspace.folder)
        return found

    def _equal(self, found: dict[str, Any], expected: dict[str, Any], otherwise: str) -> None:
        if found != expected:
            self._expect(False, f"{otherwise}: {index_state.difference(found, expected)}")

    def _expect(self, held: bool, otherwise: str) -> None:
        if not held:
            self.violations.append(f"after {self.kills} kills: {otherwise}")
            print(self.violations[-1], file=sys.stderr, flush=True)


def main() -> int:
    """Run the trial and print the summary; 1 if anything was amiss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="bench-crash-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as place,
        Stub() as stub,
    ):
        stub.default_dim = 64
        trial = Trial(Path(place), stub, random.Random(given.seed))
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            while trial.kills < given.kills and len(trial.violations) < 5:
                trial.round()
                progress = f"\r{trial.kills} kills, {trial.completed} runs compared, {len(trial.violations)} violations"
                print(progress, end="", file=sys.stderr, flush=True)
    summarise(trial)
    return 1 if trial.violations else 0


def summarise(trial: Trial) -> None:
    """What was done and what was found."""
    print(f"\n{trial.kills} kills: " + ", ".join(f"{n} {moment}" for moment, n in sorted(trial.moments.items())))
    print("by tenth of the run's life: " + " ".join(map(str, trial.aim.tenths)))
    queries = f"{len(trial.queries)} queries in {len(index_state.MODES)} modes"
    print(f"{trial.completed} runs to the end, each compared with a fresh workspace ({queries})")
    print(f"at most {trial.lost} texts a kill were answered by the model and not stored yet")
    print("violations: " + ("; ".join(trial.violations) or "none"))


if __name__ == "__main__":
    sys.exit(main())
