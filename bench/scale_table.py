"""The table of `bench.scale`: a row a measure, a column a collection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def _seconds(name: str) -> Callable[[Line], str]:
    return lambda line: f"{line[name]['wall']:.2f} ({line[name]['cpu']:.2f})"


def _milliseconds(name: str) -> Callable[[Line], str]:
    return lambda line: f"{1000 * line[name]['wall']:.1f} ({1000 * line[name]['cpu']:.1f})"


def _stage(name: str) -> Callable[[Line], str]:
    return lambda line: f"{line['stages'].get(name, 0):.2f}"


def _memory(line: Line) -> str:
    return f"{line['peak_mb']:.0f} ({line['own_mb']:.0f})"


MEASURES: list[tuple[str, str, Callable[[Line], str]]] = [
    ("build", "s", _seconds("ingest")),
    ("build", "chunks a second", lambda line: f"{line['chunks'] / line['ingest']['wall']:.0f}"),
    ("build", "s of it publishing", _stage("publish")),
    ("build", "peak MB (own at the end)", _memory),
    ("no change", "s", _seconds("ingest")),
    ("no change", "s of imports before it", lambda line: f"{line['imports']:.2f}"),
    ("one file", "s", _seconds("ingest")),
    ("one file", "s of it publishing", _stage("publish")),
    ("one file", "peak MB (own at the end)", _memory),
    *(("search", f"{name}, ms", _milliseconds(name)) for name in ("open", "vector", "keyword", "hybrid")),
    ("search", "peak MB (own at the end)", _memory),
    ("numpy", "vector, ms", _milliseconds("vector")),
    ("bm25s from raw text", "build, s", _seconds("build")),
    ("bm25s from raw text", "keyword, ms", _milliseconds("keyword")),
    *((f"stock {step}", "s", _seconds("ingest")) for step in ("build", "no change", "one file")),
    ("stock build", "peak MB (own at the end)", _memory),
    *(("stock search", f"{name}, ms", _milliseconds(name)) for name in ("open", "vector", "keyword", "hybrid")),
    ("stock search", "peak MB (own at the end)", _memory),
]


class Table:
    """Columns as they are measured, by (what, unit)."""

    def __init__(self) -> None:
        self._columns: list[dict[tuple[str, str], str]] = []

    def begin(self, chunks: int, files: int) -> None:
        """Start a column."""
        self._columns.append({("chunks", ""): f"{chunks:,}", ("files", ""): f"{files:,}"})

    def keep(self, step: str, line: Line) -> None:
        """Put what a step has measured in the last column."""
        for name, unit, shown in MEASURES:
            if name == step:
                self._columns[-1][name, unit] = shown(line)

    def size(self, state: Path) -> None:
        """Put in how much lies on disk."""
        size_bytes = sum(path.stat().st_size for path in state.rglob("*") if path.is_file())
        chunks = int(self._columns[-1]["chunks", ""].replace(",", ""))
        self._columns[-1]["index", "bytes a chunk"] = f"{size_bytes / chunks:.0f}"

    def show(self) -> None:
        """Print a line for each measure that any column has."""
        names = [("chunks", ""), ("files", ""), *(m[:2] for m in MEASURES), ("index", "bytes a chunk")]
        for name in names:
            cells = [column.get(name, "-") for column in self._columns]
            if any(cell != "-" for cell in cells):
                print(f"{' '.join(name):<45}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
