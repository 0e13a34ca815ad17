"""How often a fitted threshold keeps its budget on all questions to come, and how many negatives it finds.

`python -m bench.budgets [--sets N]`: signals of answerable questions are normal around 2 or skewed, those of the
others normal around 0; the true shares are known. Beside the rule in use (sure .9) stand those that lost.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tasks.evaluation import thresholds

Floats = NDArray[np.float64]

QUESTIONS = (42, 100, 300)
BUDGETS = (0.05, 0.01)
LAWS = {"normal": stats.norm(2, 1), "skewed": stats.skewnorm(-6, 3, 1.6)}
NEGATIVE = stats.norm(0, 1)


def plain(_: int, budget: float) -> Callable[[Floats], float]:
    return lambda signals: float(np.quantile(signals, budget))


def sure(degree: float) -> Callable[[int, float], Callable[[Floats], float]]:
    """The highest signal that keeps the budget with that probability; minus infinity where none does."""

    def ends(questions: int, budget: float) -> Callable[[Floats], float]:
        below = thresholds.may_lie_below(questions, budget, degree)
        return lambda signals: float(np.sort(signals)[below]) if below >= 0 else -np.inf

    return ends


RULES = {
    "plain quantile": plain,
    "sure .5": sure(0.5),
    "sure .8": sure(0.8),
    "sure .9": sure(0.9),
    "sure .95": sure(0.95),
}


def row(law: str, questions: int, budget: float, sets: int) -> str:
    """Share of sets over the budget, and in brackets the mean share of negatives below."""
    random, cells = np.random.default_rng(questions), []
    drawn = LAWS[law].rvs(size=(sets, questions), random_state=random)
    for rule in RULES.values():
        at = np.array([rule(questions, budget)(signals) for signals in drawn])
        over, found = (LAWS[law].cdf(at) > budget).mean(), NEGATIVE.cdf(at).mean()
        cells.append(f"{over:.3f} ({found:.2f})")
    return f"| {law}, n = {questions}, budget {budget:.0%} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    sets = parser.parse_args().sets
    print(f"| {sets} sets a row | {' | '.join(RULES)} |\n|---|{'---|' * len(RULES)}")
    for law in LAWS:
        for budget in BUDGETS:
            print(*(row(law, n, budget, sets) for n in QUESTIONS), sep="\n")


if __name__ == "__main__":
    main()
