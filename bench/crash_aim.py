"""Kill a run at an instant of any part of its life: a rehearsal on a copy says how long each part takes."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.process import Background, start
from tests.support.stub import Stub

COMMAND = ("ingest", "--json", "--allow-deletes")
PARTS = ("start", "model", "end")
"""Until the first text is sent, while texts are sent, after the last."""


@dataclass(frozen=True, slots=True)
class Course:
    """How many requests a run sends, and the seconds of its parts."""

    requests: int
    seconds: dict[str, float]

    @property
    def whole(self) -> float:
        return sum(self.seconds.values())


class Aim:
    """Every part of a run is hit equally often, and every instant of a part."""

    def __init__(self, place: Path, stub: Stub, chance: random.Random) -> None:
        self.home = place / "home"
        self.home.mkdir()
        self.copy = place / "rehearsed"
        self.stub = stub
        self.chance = chance
        self.expected: Course | None = None
        """What the last rehearsal has shown; where the end is aimed at, there is a new one."""
        self.tenths = [0] * 10
        """Kills by tenth of the run's life."""

    def run(self, workspace: Path) -> Background:
        """A run of the program, forked from a process with the libraries imported."""
        return start(*COMMAND, cwd=workspace, home=self.home)

    def rehearse(self, workspace: Path) -> Course:
        """Let a copy run to its end."""
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(workspace, self.copy)
        self.stub.forget()
        begun = time.monotonic()
        self.run(self.copy).wait().expect(0)
        return course(begun, [seen.seconds for seen in self.stub.requests("embed")], time.monotonic())

    def kill(self, workspace: Path) -> bool:
        """Start a run and kill it; False if it ended by itself first."""
        part = self.chance.choice(PARTS)
        if part == "end" or self.expected is None:
            self.expected = self.rehearse(workspace)
        expected = self.expected
        part = part if expected.requests else "start"
        within = self.chance.uniform(0, expected.seconds[part])
        self.stub.forget()
        process = self.run(workspace)
        self._reach(process, part, expected)
        time.sleep(within)
        process.kill()
        died = process.process.wait(60) < 0
        process.process.communicate()
        if died:
            earlier = sum(expected.seconds[each] for each in PARTS[: PARTS.index(part)])
            self.tenths[min(9, int(10 * (earlier + within) / expected.whole))] += 1
        return died

    def _reach(self, process: Background, part: str, expected: Course) -> None:
        """Wait until the run has come to a part."""
        wanted = {"start": 0, "model": 1, "end": expected.requests}[part]
        while process.process.poll() is None and self._come(part) < wanted:
            time.sleep(0.003)

    def _come(self, part: str) -> int:
        """Requests that were sent; to the end belong only those answered."""
        return sum(seen.answered or part == "model" for seen in self.stub.requests("embed"))


def course(begun: float, requests: Sequence[float], ended: float) -> Course:
    """From the instants of a run and of its requests."""
    if not requests:
        return Course(0, {"start": ended - begun, "model": 0.0, "end": 0.0})
    first, last = requests[0], requests[-1]
    return Course(len(requests), {"start": first - begun, "model": last - first, "end": ended - last})
