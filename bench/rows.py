"""The lines of a comparison: one step of one side each, and its ratio to stock."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.processes import Run
from bench.sides import Side

STEPS = {
    "build": "build",
    "unchanged": "refresh, nothing changed",
    "edited": "refresh, one file edited",
    "first": "first search of a process",
    "later": "later searches of a process",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One step of one side; what is not known where only a part of a process is timed is None."""

    step: str
    side: Side
    seconds: list[float]
    cpu_seconds: list[float] | None = None
    peak_mb: float | None = None

    @classmethod
    def of(cls, step: str, side: Side, runs: Sequence[Run]) -> Row:
        """The row of some whole processes; memory is the highest of them."""
        seconds, cpu_seconds = [run.seconds for run in runs], [run.cpu_seconds for run in runs]
        return cls(step, side, seconds, cpu_seconds, max(run.peak_mb for run in runs))

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def median_cpu(self) -> float | None:
        return None if self.cpu_seconds is None else statistics.median(self.cpu_seconds)


def show(rows: Sequence[Row]) -> None:
    """One line a row, the ratios on the right: how many times stock's seconds this side's are."""
    columns = f"{'median s':>9} {'least':>9} {'most':>9} {'cpu s':>8} {'peak MB':>8} {'stock/side':>10} {'by cpu':>7}"
    print(f"{'step':<28} {'side':<6} {'runs':>4} {columns}")
    for row in rows:
        stock = next((r for r in rows if r.step == row.step and r.side.name == "stock"), None)
        print(_line(row, stock if row.side.name != "stock" else None), flush=True)


def _line(row: Row, stock: Row | None) -> str:
    named = f"{STEPS[row.step]:<28} {row.side.name:<6} {len(row.seconds):>4}"
    times = f"{row.median:>9.4f} {min(row.seconds):>9.4f} {max(row.seconds):>9.4f}"
    cpu = "-" if row.median_cpu is None else f"{row.median_cpu:.2f}"
    peak = "-" if row.peak_mb is None else f"{row.peak_mb:.0f}"
    ratio = f"{stock.median / row.median:.1f}" if stock is not None else "-"
    by_cpu = f"{stock.median_cpu / row.median_cpu:.1f}" if stock and stock.median_cpu and row.median_cpu else "-"
    return f"{named} {times} {cpu:>8} {peak:>8} {ratio:>10} {by_cpu:>7}"
