"""How cost grows with a collection, from made-up notes and given vectors, through the real pipeline.

    python -m bench.scale [--sizes 10000 40000 100000 400000] [--files 100000] [--scan 100000 1000000]
                          [--place FOLDER] [--stock 10000] [--others 400000]

Each size of chunks, 20 to a file, is built, opened, refreshed and searched; `--files` is a collection of so many
files of one chunk. Up to `--stock` chunks stock LlamaIndex does the same, up to `--others` numpy and bm25s search
beside. With --place everything is kept there and taken up again by a later run, which then builds nothing.
Each figure is wall seconds and, in brackets, processor seconds, start-up and imports apart.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import folders, scan
from bench.processes import module, whole
from bench.scale_table import Table

CHUNKS_PER_FILE = 20
SETTINGS = '[collections.notes]\npath = "files"\nlanguage = "en"\n'
EDITS = 3


def main() -> None:
    """Measure and print."""
    given = _parser().parse_args()
    table = Table()
    with _place(given.place) as place:
        for size in given.sizes:
            measure(table, size, place, given, size // CHUNKS_PER_FILE)
        for files in given.files:
            measure(table, files, place, given, files, paragraphs=1)
        table.show()
        for files in given.scan:
            scans(place / f"empty{files}", files)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 40_000, 100_000, 400_000])
    parser.add_argument("--files", type=int, nargs="*", default=[100_000])
    parser.add_argument("--scan", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--place", type=Path)
    parser.add_argument("--stock", type=int, default=10_000)
    parser.add_argument("--others", type=int, default=400_000)
    return parser


@contextmanager
def _place(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as temporary:
        yield Path(temporary)


def measure(
    table: Table, size: int, place: Path, given: argparse.Namespace, files: int, paragraphs: int | None = None
) -> None:
    """One column of the table: a collection of `files` files, here and in other parts."""
    workspace = place / f"{files}x{paragraphs or ''}"
    _ours(table, workspace, files, paragraphs)
    if size <= given.others and paragraphs is None:
        table.keep("numpy", _step("scale_others", "numpy", workspace))
        table.keep("bm25s from raw text", _step("scale_others", "bm25s", workspace))
    if size <= given.stock and paragraphs is None:
        _stock(table, workspace)


def _ours(table: Table, workspace: Path, files: int, paragraphs: int | None) -> None:
    if not workspace.exists():
        _say(f"writing {files} files")
        _step("synthetic", str(files), workspace / "files", *([str(paragraphs)] if paragraphs else []))
        (workspace / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    built = _step("scale_steps", "ingest", workspace)
    table.begin(built["chunks"], files)
    if "added" in built["files"]:
        table.keep("build", built)
    unchanged = [_step("scale_steps", "ingest", workspace) for _ in range(EDITS)]
    table.keep("no change", _median(unchanged))
    with folders.editable(workspace / "files") as edits:
        table.keep("one file", _median([_edited("scale_steps", "ingest", workspace, edits) for _ in range(EDITS)]))
    _step("scale_steps", "ingest", workspace)
    table.keep("search", _step("scale_steps", "search", workspace))
    table.size(workspace / ".wherein")


def _stock(table: Table, workspace: Path) -> None:
    shutil.rmtree(workspace / "stock", ignore_errors=True)
    table.keep("stock build", _step("scale_others", "build", workspace))
    table.keep("stock no change", _step("scale_others", "refresh", workspace))
    with folders.editable(workspace / "files") as edits:
        table.keep("stock one file", _edited("scale_others", "refresh", workspace, edits))
    table.keep("stock search", _step("scale_others", "search", workspace))


def _edited(name: str, step: str, workspace: Path, edits: folders.Edits) -> dict[str, Any]:
    edits.next()
    return _step(name, step, workspace)


def _step(name: str, *arguments: str | Path) -> dict[str, Any]:
    _say(f"{name} {' '.join(map(str, arguments))}")
    shown = whole(module(f"bench.{name}", *arguments), cwd=Path.cwd()).last_line or "{}"
    _say(f"  {shown}")
    line: dict[str, Any] = json.loads(shown)
    return line


def _median(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The line of median wall time."""
    middle = statistics.median_low([line["ingest"]["wall"] for line in lines])
    return next(line for line in lines if line["ingest"]["wall"] == middle)


def scans(root: Path, files: int) -> None:
    """The walk alone, beside a bare one."""
    if not root.exists():
        scan.make_tree(root, files)
    scan.report(root, 5, may_write=False)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
