"""Ask while another process ingests: `python -m bench.readers [SECONDS]`.

Three reader processes ask one question after the other for SECONDS: alone, beside a process that only computes, and
beside one that edits files and ingests them. Every edit writes the same new version into all files, so an answer of one
generation holds one version and all of its passages. Latencies are those of the index: a stand-in embeds in no time.
Exit 1 if an answer was mixed, failed, or differed from what its generation holds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import wherein
from bench.processes import environment, module
from tasks import embed
from tests.support.embedder import HashedWords
from wherein.pipelines import loaded
from wherein.pipelines.keywords import keywords

READERS = 3
FILES = 20
PARTS = 3
PAUSE_SECONDS = 0.02
FIRST = 2
"""The version that a writer publishes while it gets ready, which loads what an ingest needs."""
START_SECONDS = 120.0
SETTINGS = """[collections.notes]
path = "notes"
[chunking]
size = 32
overlap = 0
[rerank]
enabled = false
[retrieval]
per_source = 0
"""
QUESTIONS = ("versionmark", "versionmark harbour lantern", "what does the versionmark say of the orchard")


@dataclass
class Log:
    """What one reader saw: seconds of every answer, the versions by generation, and what was amiss."""

    seconds: list[float] = field(default_factory=list)
    versions: dict[int, str] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)


def write_version(notes: Path, version: int) -> None:
    """The same new version into every part of every file."""
    for number in range(FILES):
        parts = [f"versionmark v{version} note {number} part {part} " + FILLER for part in range(PARTS)]
        (notes / f"note{number:02}.txt").write_text("\n\n".join(parts), encoding="utf-8")


FILLER = "harbour lantern orchard kettle meadow copper thistle raven anchor willow " * 2


def read(workspace: wherein.Workspace, seconds: float, report: Path) -> None:
    """Ask until the time is over."""
    log = Log()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for question in QUESTIONS:
            _ask(workspace, question, log)
            time.sleep(PAUSE_SECONDS)
    report.write_text(json.dumps(asdict(log)), encoding="utf-8")


def _ask(workspace: wherein.Workspace, question: str, log: Log) -> None:
    started = time.perf_counter()
    try:
        evidence = wherein.search(question, workspace, mode="hybrid", k=FILES * PARTS)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a violation
        log.violations.append(f"{type(error).__name__}: {error}")
        return
    log.seconds.append(time.perf_counter() - started)
    found = {hit.text.split()[1] for hit in evidence.hits}
    if len(found) != 1 or len(evidence.hits) != FILES * PARTS:
        log.violations.append(f"an answer of {len(evidence.hits)} passages from versions {sorted(found)}")
    version = log.versions.setdefault(evidence.generations["notes"], min(found, default=""))
    if {version} != found:
        log.violations.append(f"generation {evidence.generations['notes']} held {version}, then {sorted(found)}")
    lines = keywords(workspace, ["note 0"]).hits
    if len({line.text.split()[1] for line in lines}) != 1 or len(lines) != PARTS:
        log.violations.append(f"keywords gave {[line.text[:30] for line in lines]}")


def edit(workspace: wherein.Workspace, seconds: float, report: Path) -> None:
    """Write a version and ingest it, until the time is over."""
    published: dict[int, str] = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        version = FIRST + 1 + len(published)
        published[publish(workspace, version)] = f"v{version}"
    report.write_text(json.dumps(published), encoding="utf-8")


def publish(workspace: wherein.Workspace, version: int) -> int:
    """Write a version and ingest it; the generation that holds it."""
    write_version(workspace.folder / "notes", version)
    return wherein.ingest(workspace=workspace)[0].generation


def compute(_workspace: wherein.Workspace, seconds: float, report: Path) -> None:
    """Burn the time of one process."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(10_000))
    report.write_text("{}", encoding="utf-8")


ROLES = {"reader": read, "writer": edit, "computer": compute}


def play(role: str, folder: Path, seconds: float, report: Path) -> None:
    """One process: get ready, say so, wait for the start, and play."""
    model = HashedWords()
    embed.load_embedder = lambda _config: model  # type: ignore[assignment, return-value]
    loaded.embedder = lambda _config: model  # type: ignore[assignment, return-value]
    workspace = wherein.Workspace.find(folder)
    wherein.search("versionmark", workspace)
    if role == "writer":
        publish(workspace, FIRST)
    print("ready", flush=True)
    sys.stdin.readline()
    ROLES[role](workspace, seconds, report)


def phase(folder: Path, seconds: float, beside: str) -> tuple[list[Log], dict[int, str]]:
    """Readers, and one process beside them or none; what they saw, and what was published."""
    roles = [("reader", folder / f"reader{number}.json") for number in range(READERS)]
    roles += [(beside, folder / "beside.json")] if beside else []
    command = [
        module("bench.readers", str(seconds), "--role", role, "--folder", folder, "--report", report)
        for role, report in roles
    ]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(c, stdin=pipe, stdout=pipe, env=environment(), text=True) for c in command]
    for process in running:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError("a process did not get ready")
    for process in running:
        process.communicate("go\n", timeout=seconds + START_SECONDS)
    logs = [Log(**json.loads(report.read_text(encoding="utf-8"))) for role, report in roles if role == "reader"]
    published = json.loads(roles[-1][1].read_text(encoding="utf-8")) if beside else {}
    return logs, published


@dataclass(frozen=True)
class Outcome:
    """Seconds of all answers by what ran beside, generations published meanwhile, and what was amiss."""

    seconds: dict[str, list[float]]
    generations: int
    violations: list[str]


def run(place: Path, seconds: float, besides: Sequence[str] = ("", "computer", "writer")) -> Outcome:
    """The phases, one after the other, over one workspace."""
    (place / "notes").mkdir()
    (place / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    write_version(place / "notes", 1)
    model = HashedWords()
    embed.load_embedder, kept = (lambda _config: model), embed.load_embedder  # type: ignore[assignment, return-value]
    try:
        first = wherein.ingest(workspace=wherein.Workspace.find(place))[0].generation
    finally:
        embed.load_embedder = kept
    taken: dict[str, list[float]] = {}
    violations: list[str] = []
    published = {str(first): "v1"}
    for beside in besides:
        logs, more = phase(place, seconds, beside)
        published |= {str(number): version for number, version in more.items()}
        taken[beside] = [s for log in logs for s in log.seconds]
        violations += [violation for log in logs for violation in log.violations]
        violations += _strange(logs, published)
    return Outcome(taken, len(published) - 1, violations)


def _strange(logs: Sequence[Log], published: dict[str, str]) -> list[str]:
    seen = {(str(number), version) for log in logs for number, version in log.versions.items()}
    wrong = sorted((n, v) for n, v in seen if published.get(n, v) != v)
    return [f"generation {number} holds {published[number]}, and {version} was read" for number, version in wrong]


def summarise(outcome: Outcome) -> None:
    """Latencies by phase, and whether every answer was whole."""
    print(f"{'readers':24} {'answers':>8} {'median ms':>10} {'p99 ms':>8} {'most ms':>8}")
    for beside, taken in outcome.seconds.items():
        ordered = sorted(taken)
        points = [1000 * ordered[min(len(ordered) - 1, int(len(ordered) * q))] for q in (0.5, 0.99, 1)]
        name = f"beside a {beside}" if beside else "alone"
        print(f"{name:24} {len(taken):8} {points[0]:10.1f} {points[1]:8.1f} {points[2]:8.1f}")
    print(f"{outcome.generations} generations were published meanwhile")
    print("violations: " + ("; ".join(outcome.violations[:10]) or "none"))


def main() -> int:
    """Run it; 1 if anything was amiss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    for hidden in ("--role", "--folder", "--report"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    given: Any = parser.parse_args()
    if given.role:
        play(given.role, Path(given.folder), given.seconds, Path(given.report))
        return 0
    with tempfile.TemporaryDirectory(prefix="bench-readers-") as place:
        outcome = run(Path(place), given.seconds)
    summarise(outcome)
    return 1 if outcome.violations or not outcome.generations else 0


if __name__ == "__main__":
    sys.exit(main())
