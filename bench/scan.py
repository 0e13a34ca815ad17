"""What a scan costs beside a bare walk that only lists and stats, in one run.

    python bench/scan.py [FOLDER] [--files 50000] [--repeat 5]

Without FOLDER a tree of empty notes is made in a temporary folder. Prints microseconds a file, the best of the
repeats, both warm.
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

from tasks.scan import Rules, scan

IGNORED = (
    "# build output\n*.pyc\n*.log\n*.tmp\n*~\nbuild/\ndist/\n/out/\n*.egg-info/\n.cache\nTODO.md\n!keep/TODO.md\n"
    "secret*.md\ndrafts/**/old*\ndoc/*.txt\n**/private/\nThumbs.db\n*.sw[op]\n/local.md\ncoverage.xml\n"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=5)
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
    """Print a line for the bare walk, one for the scan, and one for the scan with ignore rules."""
    rules = Rules(("**/*.md", "**/*.txt"), (), True, False, frozenset({".md", ".txt"}))
    walked = bare(str(root))
    show("bare walk", walked, best(lambda: bare(str(root)), repeat))
    found = len(scan(root, rules).files)
    plain = best(lambda: scan(root, rules), repeat)
    show(f"scan ({found} taken)", walked, plain)
    if may_write:
        (root / ".gitignore").write_text(IGNORED, encoding="utf-8")
        found = len(scan(root, rules).files)
        show(f"scan, 19 ignore lines ({found} taken)", walked, best(lambda: scan(root, rules), repeat))


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


def best(body: Callable[[], object], repeat: int) -> float:
    """The least seconds of some calls."""
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        body()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def show(what: str, files: int, seconds: float) -> None:
    """One line: seconds, and microseconds a file."""
    print(f"{what:<40} {files:>8} files {seconds * 1000:>9.1f} ms {seconds / max(files, 1) * 1e6:>7.2f} us a file")


if __name__ == "__main__":
    main()
