"""Two evaluations of the same questions over differently made indexes: `python -m bench.paired BASE OTHER`.

BASE and OTHER are the `rows.jsonl` of two reports of `wherein evaluate`; arms of one name are compared question by
question, for what no arm can set: how the index was made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from tasks.evaluation.differences import differences
from wherein.pipelines.evaluation.rows import MEASURES, TARGET

Values = Mapping[str, Mapping[str, float]]


def main() -> None:
    """A line of a table for each arm that both have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--measure", choices=MEASURES, default=TARGET)
    given = parser.parse_args()
    base, other = (_values(path, given.measure) for path in (given.base, given.other))
    print(
        f"| arm | questions | {given.base} | {given.other} | difference (95 %) | verdict |\n|---|---|---|---|---|---|"
    )
    for arm in base:
        if arm in other:
            print(_line(arm, base[arm], other[arm]))


def _values(path: Path, measure: str) -> Values:
    """By arm and question."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get(measure) is not None:
            found.setdefault(row["arm"], {})[row["id"]] = row[measure]
    return found


def _line(arm: str, base: Mapping[str, float], other: Mapping[str, float]) -> str:
    same = sorted(base.keys() & other.keys())
    before, after = ([values[id_] for id_ in same] for values in (base, other))
    found = differences(before, {arm: after})[arm]
    means = " | ".join(f"{sum(values) / max(1, len(values)):.3f}" for values in (before, after))
    change = f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
    return f"| {arm} | {len(same)} | {means} | {change} | {found.verdict} |"


if __name__ == "__main__":
    main()
