"""How low the signal of an answerable question falls where little else is indexed.

`python -m bench.few_passages WORKSPACE...`: the signal is the best logit of a pool, and a large pool nearly always
holds something that looks right. Here the pool of each golden question (WORKSPACE/golden.jsonl, or the file named with
`--golden`) is cut down to the passages of the files that answer it and a few others, drawn at random: what share of the
signals is below each threshold?
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from tasks.evaluation import golden_files
from tasks.stage import within
from wherein.pipelines import sources
from wherein.pipelines.asked import settle
from wherein.pipelines.evaluation.shared import Kept, SharedWork
from wherein.pipelines.options import QueryOptions
from wherein.pipelines.query import follow
from wherein.workspace import Workspace

AT = (-10.5, -10.0, -9.5, -9.0, -8.5, -8.0)
OTHERS = (0, 5, 1000)


def pools(workspace: Workspace, golden: Path, limit: int) -> Iterator[tuple[list[float], list[float]]]:
    """Logits of the passages of files that answer a question, where there are any, and of the others."""
    with sources.opened(workspace, (), []) as found:
        work = SharedWork(workspace, found, Kept())
        for question in [one for one in golden_files.read(golden) if one.answerable][:limit]:
            with within():
                hits = follow(settle(workspace, question.question, QueryOptions()), work, None).hits
            wanted = {entry.path for entry in question.relevant}
            logits = [(hit.scores.rerank, hit.path in wanted) for hit in hits if hit.scores.rerank is not None]
            if any(own for _, own in logits):
                yield [logit for logit, own in logits if own], [logit for logit, own in logits if not own]


def shares(name: str, found: list[tuple[list[float], list[float]]]) -> Iterator[str]:
    """A row for each number of other passages."""
    for count in OTHERS:
        draw = random.Random(0)
        signals = [max([*own, *draw.sample(others, min(count, len(others)))]) for own, others in found]
        cells = (f"{sum(signal < at for signal in signals) / len(signals):.1%}" for at in AT)
        beside = f"{count} others" if count < max(OTHERS) else "the whole pool"
        yield f"| {name} ({len(signals)}), {beside} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspaces", type=Path, nargs="+")
    parser.add_argument("--golden", default="golden.jsonl")
    parser.add_argument("--limit", type=int, default=300)
    given = parser.parse_args()
    print(f"| answerable questions below | {' | '.join(f'{at:g}' for at in AT)} |\n|---|{'---|' * len(AT)}")
    for folder in given.workspaces:
        found = list(pools(Workspace.find(folder), folder / given.golden, given.limit))
        print(*shares(folder.name, found), sep="\n", flush=True)


if __name__ == "__main__":
    main()
