"""Whether fitted confidence thresholds keep their budgets on real questions that they were not fitted on.

`python -m bench.held_out signals.jsonl...`: what `bench.unanswerable` left. The questions of each set are split in two
at random, many times; thresholds are fitted on one half by the rule in use, and counted on the other. A question stays
in one half with all it was asked for. "By law" is how often the counted half would go over the budget if questions were
drawn anew each time: how many of m signals lie below the k-th lowest of n others is beta-binomial, whatever their law.
Beside it stands the plain quantile; then one threshold for all sets: the highest that keeps the budget on each of them,
and the one that the other sets would have given.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom

from bench.unanswerable import ANSWERABLE, FOREIGN, REMOVED, Signals
from tasks.evaluation import thresholds

Floats = NDArray[np.float64]
Halves = tuple[Mapping[str, Floats], Mapping[str, Floats]]
Fit = Callable[[Floats, Floats, float], float | None]

SIGNALS = ("rerank", "vector")
OTHERS = (REMOVED, "near-miss", FOREIGN)
BUDGETS = (0.05, 0.01)


def in_use(having: Floats, lacking: Floats, budget: float) -> float | None:
    return thresholds.fit(having, lacking, budget, budget).weak


def plain(having: Floats, _: Floats, budget: float) -> float | None:
    return float(np.quantile(having, budget))


RULES: dict[str, Fit] = {"in use": in_use, "plain quantile": plain}


def sorts(signals: Sequence[Signals], name: str) -> dict[str, dict[str, float]]:
    """Values by sort and question; those without a signal are left out."""
    found: dict[str, dict[str, float]] = {sort: {} for sort in (ANSWERABLE, *OTHERS)}
    for one in signals:
        value = getattr(one, name)
        if value is not None and one.sort in found:
            found[one.sort][one.id] = value
    return found


def halves(found: Mapping[str, Mapping[str, float]], random: np.random.Generator) -> Halves:
    ids = sorted({id_ for values in found.values() for id_ in values})
    first = set(random.permutation(ids)[: len(ids) // 2].tolist())
    one, two = ({s: _values(v, first, inside) for s, v in found.items()} for inside in (True, False))
    return one, two


def _values(values: Mapping[str, float], chosen: set[str], inside: bool) -> Floats:
    return np.array([value for id_, value in sorted(values.items()) if (id_ in chosen) == inside])


def splits(found: Mapping[str, Mapping[str, float]], fit: Fit, budget: float, count: int) -> list[dict[str, float]]:
    """For each split that gave a threshold: it, and the share of each sort below it in the other half."""
    told, random = [], np.random.default_rng(0)
    for _ in range(count):
        fitted, held = halves(found, random)
        lacking = np.concatenate([fitted[sort] for sort in OTHERS])
        at = fit(fitted[ANSWERABLE], lacking, budget)
        if at is not None:
            told.append({"at": at, **{sort: below(values, at) for sort, values in held.items()}})
    return told


def below(values: Floats, at: float) -> float:
    return float((values < at).mean()) if len(values) else float("nan")


def split_rows(name: str, signals: Sequence[Signals], count: int) -> Iterator[str]:
    for signal in SIGNALS:
        found = sorts(signals, signal)
        for budget in BUDGETS:
            for rule, fit in RULES.items():
                told = splits(found, fit, budget, count)
                law = f"{expected(len(found[ANSWERABLE]), budget):.0%}" if fit is in_use else "–"
                cells = " | ".join([*_summary(told, count, budget), law])
                yield f"| {name}, {signal}, {budget:.0%} | {rule} | {cells} |"


def expected(questions: int, budget: float) -> float:
    """How often the second half of so many answerable questions goes over the budget by chance alone."""
    fitted, held = questions // 2, questions - questions // 2
    allowed = thresholds.may_lie_below(fitted, budget)
    return float(betabinom(held, allowed + 1, fitted - allowed).sf(budget * held + 1e-9)) if allowed >= 0 else 0.0


def _summary(told: Sequence[Mapping[str, float]], count: int, budget: float) -> list[str]:
    if not told:
        return [f"0 of {count}", *["–"] * 6]
    at, weak = (np.array([one[key] for one in told]) for key in ("at", ANSWERABLE))
    ends, low_high = np.quantile(at, [0.05, 0.95]), np.quantile(weak, [0.05, 0.95])
    others = [_mean([one[sort] for one in told if not np.isnan(one[sort])]) for sort in OTHERS]
    return [
        f"{len(told)} of {count}",
        f"{np.median(at):.2f} ({ends[0]:.2f} to {ends[1]:.2f})",
        f"{weak.mean():.1%} ({low_high[0]:.1%} to {low_high[1]:.1%})",
        *("–" if np.isnan(share) else f"{share:.0%}" for share in others),
        f"{(weak > budget).sum() / count:.0%}",
    ]


def _mean(shares: Sequence[float]) -> float:
    return float(np.mean(shares)) if shares else float("nan")


def highest(having: Floats, budget: float) -> float:
    """The highest threshold with at most the budget of these questions below it."""
    return float(np.sort(having)[int(budget * len(having))])


def shared_rows(sets: Mapping[str, Sequence[Signals]], signal: str, budget: float) -> Iterator[str]:
    """One threshold for all sets, and for each set the one of the others."""
    found = {name: sorts(signals, signal) for name, signals in sets.items()}
    values = {name: {s: np.array(list(v.values())) for s, v in one.items()} for name, one in found.items()}
    own = {name: highest(one[ANSWERABLE], budget) for name, one in values.items()}
    for name, one in values.items():
        others = min(at for other, at in own.items() if other != name or len(own) == 1)
        cells = [f"{own[name]:.2f}", f"{others:.2f}", *_shares(one, others), *_shares(one, min(own.values()))]
        yield f"| {name}, {signal} | {' | '.join(cells)} |"


def _shares(one: Mapping[str, Floats], at: float) -> list[str]:
    shares = [below(one[sort], at) for sort in (ANSWERABLE, *OTHERS)]
    return ["–" if np.isnan(share) else f"{share:.1%}" for share in shares]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("signals", type=Path, nargs="+", help="named after the folders they lie in")
    parser.add_argument("--splits", type=int, default=500)
    given = parser.parse_args()
    sets = {path.parent.name: Signals.read(path) for path in given.signals}
    print("| set, signal, budget | rule | fitted in | threshold | answerable below, held out | removed below |"
          f" near-miss | foreign | over budget, of all splits | by law |\n|{'---|' * 10}")  # fmt: skip
    for name, signals in sets.items():
        print(*split_rows(name, signals, given.splits), sep="\n", flush=True)
    shares = f"answerable | {' | '.join(OTHERS)}"
    print(f"\n| set, signal | its own | that of the others | {shares} | below one for all: {shares} |\n|{'---|' * 11}")
    for signal in SIGNALS:
        print(*shared_rows(sets, signal, BUDGETS[0]), sep="\n")


if __name__ == "__main__":
    main()
