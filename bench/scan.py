"""What a scan costs beside a bare walk that only lists and stats, in one run.

    python bench/scan.py [FOLDER] [--files 50000] [--repeat 5]

Without FOLDER a tree of empty notes is made in a temporary folder, and the scan and diff of a refresh that finds
nothing changed are shown too. Prints microseconds a file, the least of the repeats, all warm.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import wherein
from tasks.scan import Rules, scan

IGNORED = (
    "# build output\n*.pyc\n*.log\n*.tmp\n*~\nbuild/\ndist/\n/out/\n*.egg-info/\n.cache\nTODO.md\n!keep/TODO.md\n"
    "secret*.md\ndrafts/**/old*\ndoc/*.txt\n**/private/\nThumbs.db\n*.sw[op]\n/local.md\ncoverage.xml\n"
)
RACE_SECONDS = 2.5  # a file as fresh as the last scan is hashed once more


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if given.folder is None:
            make_tree(Path(temporary), given.files)
        report(given.folder or Path(temporary), given.repeat, may_write=given.folder is None)


def make_tree(root: Path, files: int, folder_size: int = 100) -> None:
    """`files` empty notes, a hundred to a folder, ten folders to a parent."""
    for number in range(files):
        folder = root / f"{number // (10 * folder_size):03}" / f"{number // folder_size:05}"
        if number % folder_size == 0:
            folder.mkdir(parents=True)
        (folder / f"note {number:06}.md").touch()


def report(root: Path, repeat: int, *, may_write: bool) -> None:
    """Print a line for the bare walk and one for the scan; in a tree of its own, also with ignore rules."""
    rules = Rules(("**/*.md", "**/*.txt"), (), True, False, frozenset({".md", ".txt"}))
    compare(root, rules, repeat, "scan")
    if may_write:
        refreshed(root, repeat, "scan + diff")
        (root / ".gitignore").write_text(IGNORED, encoding="utf-8")
        compare(root, rules, repeat, f"scan, {IGNORED.count(chr(10)) - 1} ignore rules")
        refreshed(root, repeat, "scan + diff, ignore rules")


def refreshed(root: Path, repeat: int, what: str) -> None:
    """The two stages of refreshes that find nothing changed, beside a bare walk in turn."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "wherein.toml").write_text(f'[collections.notes]\npath = "{root}"\n', encoding="utf-8")
        workspace = wherein.Workspace.find(Path(place))
        wherein.ingest(workspace=workspace)
        time.sleep(RACE_SECONDS)
        wherein.ingest(workspace=workspace)
        seen = bare(str(root))
        pairs = [(cost(lambda: bare(str(root)))[0], two_stages(workspace)) for _ in range(repeat)]
        for side, name in enumerate(("bare walk", what)):
            seconds = min(pair[side] for pair in pairs)
            print(f"{name:<40}{seen:>8} files {seconds / seen * 1e6:>7.2f} us a file, {seconds * 1e3:.0f} ms in all")


def two_stages(workspace: wherein.Workspace) -> float:
    """Seconds of scan and diff in a refresh that must find nothing to do."""
    (report,) = wherein.ingest(workspace=workspace)
    if report.files["touched"] + report.files["changed"]:
        raise RuntimeError("files changed under the measurement")
    return sum(timing.seconds for timing in report.stages if timing.stage in ("scan", "diff"))


def compare(root: Path, rules: Rules, repeat: int, what: str) -> None:
    """Both in turn, so that whatever else the machine does falls on both; the least of each."""
    seen, taken = bare(str(root)), len(scan(root, rules).files)
    pairs = [(cost(lambda: bare(str(root))), cost(lambda: scan(root, rules))) for _ in range(repeat)]
    for side, name in enumerate(("bare walk", f"{what} ({taken} taken)")):
        wall, processor = (min(pair[side][clock] for pair in pairs) / seen * 1e6 for clock in (0, 1))
        print(f"{name:<40}{seen:>8} files {wall:>7.2f} us a file, {processor:.2f} us of processor time")


def bare(folder: str) -> int:
    """How many files a walk sees that lists every folder and stats every file."""
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                count += bare(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                count += 1
    return count


def cost(body: Callable[[], object]) -> tuple[float, float]:
    """The seconds a call takes: by the clock, and of the processor."""
    started, worked = time.perf_counter(), time.process_time()
    body()
    return time.perf_counter() - started, time.process_time() - worked


if __name__ == "__main__":
    main()
