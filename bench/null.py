"""How often intervals hold the truth, and how often tests cry wolf, on differences whose truth is known.

`python -m bench.null [--sets N] [--rows rows.jsonl]`. Questions are drawn from populations of paired nDCG@10 values
(many 0, many 1, most pairs equal), or from the rows that an evaluation left: each arm less the first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bench import null_methods as methods
from tasks.evaluation.differences import CANNOT_TELL, differences, smallest_shown, verdict
from tasks.evaluation.holm import holm
from tasks.evaluation.resampling import mean_intervals, sign_flip_p

Floats = NDArray[np.float64]
Population = Callable[[np.random.Generator, int, int], Floats]

QUESTIONS = (10, 42, 150, 300)
ARMS = 8
DISCOUNTED = 1 / np.log2(np.arange(1, 11) + 1)
VALUES = np.array([0.0, *DISCOUNTED])
SHARES = np.array([0.25, 0.45, 0.1, 0.05, 0.04, 0.03, 0.02, 0.02, 0.02, 0.01, 0.01])
GAIN = 1 / 6
LEAST: tuple[tuple[str, Callable[[list[float]], Any]], ...] = (("mean", np.mean), ("least", min))
MOST: tuple[tuple[str, Callable[[list[float]], Any]], ...] = (("mean", np.mean), ("most", max))


def swapped(random: np.random.Generator, n: int, sets: int) -> Floats:
    """Two systems that were run anew on four questions of ten, their names shuffled on each: the truth is 0."""
    pair = random.choice(VALUES, p=SHARES, size=(2, n, sets))
    return np.where(random.random((n, sets)) < 0.4, pair[1] - pair[0], 0.0)


def lopsided(random: np.random.Generator, n: int, sets: int) -> Floats:
    """One question of twenty is found that was missed, as much is lost by slips from rank 1 to 2: the truth is 0."""
    slip = 1 - DISCOUNTED[1]
    return random.choice([1.0, -slip, 0.0], p=[0.05, 0.05 / slip, 0.95 - 0.05 / slip], size=(n, sets))


def gain(random: np.random.Generator, n: int, sets: int) -> Floats:
    """Of six questions one is answered anew, and keeps the better of both answers."""
    pair = random.choice(VALUES, p=SHARES, size=(2, n, sets))
    return np.where(random.random((n, sets)) < GAIN, np.maximum(pair[1] - pair[0], 0), 0.0)


def _truth_of_gain() -> float:
    return GAIN * float(SHARES @ np.maximum(VALUES - VALUES[:, None], 0) @ SHARES)


def recorded(path: Path, measure: str = "nDCG@10") -> dict[str, Floats]:
    """Differences of each arm of an evaluation from its first, over the questions that both answered."""
    arms: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get(measure) is not None:
            arms.setdefault(row["arm"], {})[row["id"]] = row[measure]
    (_, base), *others = arms.items()
    found = {
        name: np.array([values[id_] - base[id_] for id_ in sorted(values.keys() & base)]) for name, values in others
    }
    return {name: values for name, values in found.items() if values.any()}


def drawn_from(pairs: Floats) -> Population:
    """Questions of an evaluation, with replacement: the truth is their mean."""
    return lambda random, n, sets: random.choice(pairs, size=(n, sets))


def swapped_from(pairs: Floats) -> Population:
    """The same with the names of the two arms shuffled on each question: the truth is 0."""
    return lambda random, n, sets: random.choice(pairs, size=(n, sets)) * random.choice([-1.0, 1.0], size=(n, sets))


def coverage(draw: Population, truth: float, n: int, sets: int) -> dict[str, float]:
    """The share of sets whose interval holds the truth, by method."""
    random = np.random.default_rng(n)
    pairs = draw(random, n, sets)
    resampled = methods.Resampled.of(pairs, random)
    ends = {name: interval(pairs, resampled) for name, interval in methods.INTERVALS.items()}
    return {name: _share((low - 1e-9 <= truth) & (truth <= high + 1e-9)) for name, (low, high) in ends.items()}


def _share(true: NDArray[np.bool_]) -> float:
    return float(true.mean())


def alarms(draw: Population, n: int, sets: int) -> dict[str, float]:
    """The share of sets that a test of one arm calls different at .05, and the share that gets a word."""
    pairs = draw(np.random.default_rng(n), n, sets)
    low, high = mean_intervals(pairs)
    flips, words = sign_flip_p(pairs), zip(pairs.mean(axis=0), low, high, strict=True)
    told = [verdict(*word, p, least, n) for word, p, least in zip(words, flips, smallest_shown(pairs, 1), strict=True)]
    return {
        "sign flips": _share(flips < 0.05),
        "t-test": _share(np.array([_t_test(column) for column in pairs.T]) < 0.05),
        "Wilcoxon": _share(np.array([_wilcoxon(column) for column in pairs.T]) < 0.05),
        "sign test": _share(np.array([_sign_test(column) for column in pairs.T]) < 0.05),
        "interval alone": _share((low > 0) | (high < 0)),
        "verdict": _share(np.array(told) != CANNOT_TELL),
    }


def _t_test(pairs: Floats) -> float:
    return float(stats.ttest_1samp(pairs, 0).pvalue) if pairs.std() else 1.0


def _wilcoxon(pairs: Floats) -> float:
    return float(stats.wilcoxon(pairs, method="asymptotic").pvalue) if pairs.any() else 1.0


def _sign_test(pairs: Floats) -> float:
    differing = int((pairs != 0).sum())
    return float(stats.binomtest(int((pairs > 0).sum()), differing).pvalue) if differing else 1.0


def family(n: int, sets: int) -> dict[str, float]:
    """The share of sets in which any of eight arms, none different in truth, is called different."""
    random = np.random.default_rng(n)
    called = dict.fromkeys(["each alone", "Bonferroni", "Holm", "verdict"], 0)
    for _ in range(sets):
        arms = swapped(random, n, ARMS)
        p_values = sign_flip_p(arms).tolist()
        told = differences([0.0] * n, {str(arm): values.tolist() for arm, values in enumerate(arms.T)})
        called["each alone"] += min(p_values) < 0.05
        called["Bonferroni"] += min(p_values) * ARMS < 0.05
        called["Holm"] += min(holm(p_values)) < 0.05
        called["verdict"] += any(one.verdict != CANNOT_TELL for one in told.values())
    return {name: count / sets for name, count in called.items()}


def table(title: str, rows: Sequence[tuple[str, dict[str, float]]]) -> Iterator[str]:
    """A table in Markdown, one row a case."""
    names = list(rows[0][1])
    yield f"\n{title}\n"
    yield f"| | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for case, values in rows:
        yield f"| {case} | {' | '.join(f'{values[name]:.3f}' for name in names)} |"


def of_rows(path: Path, sets: int) -> Iterator[str]:
    """Tables of the arms of an evaluation: the mean over the arms, and the worst of them."""
    arms = recorded(path)
    covered = {n: [coverage(drawn_from(d), float(d.mean()), n, sets) for d in arms.values()] for n in QUESTIONS}
    called = {n: [alarms(swapped_from(d), n, sets) for d in arms.values()] for n in QUESTIONS}
    rows = [(f"{name}, n = {n}", _each(covered[n], pick)) for n in QUESTIONS for name, pick in LEAST]
    yield from table(f"Share of 95 % intervals that hold the truth, {len(arms)} arms, {sets} sets each", rows)
    rows = [(f"{name}, n = {n}", _each(called[n], pick)) for n in QUESTIONS for name, pick in MOST]
    yield from table("Share of sets called different at .05, names shuffled", rows)


def _each(found: Sequence[dict[str, float]], pick: Callable[[list[float]], Any]) -> dict[str, float]:
    return {name: float(pick([one[name] for one in found])) for name in found[0]}


def of_populations(sets: int) -> Iterator[str]:
    known: dict[str, tuple[Population, float]]
    known = {"swapped": (swapped, 0.0), "lopsided": (lopsided, 0.0), "gain": (gain, _truth_of_gain())}
    cases = [(name, draw, truth, n) for name, (draw, truth) in known.items() for n in QUESTIONS]
    covered = [(f"{name}, n = {n}", coverage(draw, truth, n, sets)) for name, draw, truth, n in cases]
    yield from table(f"Share of 95 % intervals that hold the truth, {sets} sets a row", covered)
    called = [(f"{name} ({truth:+.3f}), n = {n}", alarms(draw, n, sets)) for name, draw, truth, n in cases]
    yield from table("Share of sets called different at .05, one arm", called)
    told = [(f"n = {n}", family(n, sets // 4)) for n in QUESTIONS]
    yield from table(f"Share of {sets // 4} sets with any of {ARMS} equal arms called different", told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--rows", type=Path)
    given = parser.parse_args()
    tables = of_rows(given.rows, given.sets) if given.rows else of_populations(given.sets)
    for line in tables:
        print(line, flush=True)


if __name__ == "__main__":
    main()
