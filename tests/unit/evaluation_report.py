"""A report document as an evaluation writes it, drawn by a seed."""

from __future__ import annotations

import copy
import dataclasses
import functools
import random
from typing import Any

from tasks.evaluation.differences import Difference, differences, intervals
from tasks.evaluation.thresholds import fit

MEASURES = ["nDCG@10", "R@15", "RR@10", "pool recall", "sources"]
ARMS = {
    "current": 0.7,
    "keyword": 0.55,
    "vector": 0.68,
    "hybrid minmax": 0.72,
    "hybrid rrf, rerank 1": 0.85,
    "same": 0.7,
}
STAGES = ["not indexed", "pool", "fusion", "rerank", "floor", "cap", "cut"]
KINDS = ["date", "fact", "heading", "paraphrase"]


def row(chance: random.Random, number: int, arm: str, level: float) -> dict[str, Any]:
    found = chance.random() < level
    value = chance.choice([1.0, 1.0, 1.0, 0.63, 0.5, 0.43]) if found else 0.0
    lost = [] if found else [{"relevant": f"notes/file {number}.md:12", "stage": chance.choice(STAGES)}]
    measures = dict(zip(MEASURES, [value, float(found), value, 1.0, float(chance.randint(3, 15))], strict=True))
    asked = {"id": f"q{number:03}", "question": f"Where did I put note number {number}?", "kind": KINDS[number % 4]}
    top = [f"notes/2021/{chance.randint(1, 12):02}.md:{chance.randint(1, 90)}" for _ in range(10)]
    shown = {"lost": lost, "top": top, "confidence": "strong", "signal": 2 + 3 * value + chance.random()}
    return {**asked, "answerable": True, "arm": arm, **measures, **shown}


def rows(questions: int, seed: int = 0) -> list[dict[str, Any]]:
    """Base and `same` give the same; a row for each question and arm."""
    by_arm = []
    for arm, level in ARMS.items():
        chance = random.Random(seed if arm in ("current", "same") else f"{seed}{arm}")
        by_arm += [row(chance, number, arm, level) for number in range(questions)]
    return by_arm


Compared = dict[str, dict[str, Difference]]
Ends = dict[str, dict[str, tuple[float, float]]]


def arm(name: str, of: list[dict[str, Any]], compared: Compared, ends: Ends) -> dict[str, Any]:
    found = {m: [one[m] for one in of] for m in MEASURES}
    lost = [(one["kind"], each["stage"]) for one in of for each in one["lost"]]
    stages = {stage: sum(s == stage for _, s in lost) for stage in sorted({s for _, s in lost})}
    return {
        "name": name,
        "settings": {"retrieval.fusion": "rrf", "rerank.weight": 0.4},
        "means": {m: sum(v) / len(v) if v else 0.0 for m, v in found.items()},
        "intervals": {m: list(ends[m][name]) for m in MEASURES},
        "kinds": {
            kind: {"questions": len(part), "nDCG@10": sum(one["nDCG@10"] for one in part) / len(part)}
            for kind in KINDS
            if (part := [one for one in of if one["kind"] == kind])
        },
        "differences": {m: dataclasses.asdict(arms[name]) for m, arms in compared.items() if name in arms},
        "latency": {s: {"median": 0.004 * len(s), "p95": 0.02 * len(s)} for s in ("vector", "rerank", "total")},
        "losses": {
            "found": len(of) - len(lost),
            "missed": len(lost),
            "stages": stages,
            "kinds": {kind: {s: sum(one == (kind, s) for one in lost) for s in stages} for kind in KINDS},
            "remedies": [f"{stages.get('pool', 0)} of {len(of)} never entered a pool: pools of 60 would hold 2."],
        },
    }  # fmt: skip


def confidence(seed: int = 0) -> dict[str, Any]:
    chance = random.Random(seed)
    found = fit([chance.gauss(5, 2) for _ in range(300)], [chance.gauss(-1, 2) for _ in range(80)])
    return {
        "signal": "rerank",
        "model": "ms-marco-MiniLM-L-12-v2",
        "weak": found.weak,
        "none": found.none,
        "lowest_positive": found.lowest_positive,
        "highest_negative": found.highest_negative,
        "curve": [list(point) for point in found.curve],
        "held_out": {
            "weak": dataclasses.asdict(found.weak_fit.held_out),
            "none": dataclasses.asdict(found.none_fit.held_out),
        },
        "sentence": "At most 5 % of answerable questions are marked weak.",
    }


def values(by_arm: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, list[float]]]:
    return {m: {name: [one[m] for one in of] for name, of in by_arm.items()} for m in MEASURES}


def report(questions: int = 42, seed: int = 0) -> dict[str, Any]:
    """A copy that may be changed."""
    return copy.deepcopy(_report(questions, seed))


@functools.cache
def _report(questions: int, seed: int) -> dict[str, Any]:
    all_rows = rows(questions, seed)
    by_arm = {name: [one for one in all_rows if one["arm"] == name] for name in ARMS}
    arms = values(by_arm)
    ends = {m: intervals(of) for m, of in arms.items()}
    compared = {m: differences(of.pop("current"), of) for m, of in arms.items()}
    nothing = {"id": "q900", "question": "What did the <b>harpooner</b> say?", "kind": "near miss", "answerable": False}
    shown = {"lost": [], "top": ["notes/a.md:1"], "confidence": "weak", "signal": -3.25}
    return {
        "golden": {
            "file": "golden.jsonl",
            "questions": questions + 1,
            "answerable": questions,
            "kinds": {kind: sum(n % 4 == at for n in range(questions)) for at, kind in enumerate(KINDS)},
            "digest": "5f" * 32,
        },
        "generations": {"journal": 3, "notes": 12},
        "chunks": 7955,
        "created_at": "2026-01-02T03:04:05+00:00",
        "seconds": 61.25,
        "base": "current",
        "measures": MEASURES,
        "arms": [arm(name, of, compared, ends) for name, of in by_arm.items()],
        "cannot_rank": "",
        "confidence": confidence(seed),
        "rows": [*all_rows, *({**nothing, "arm": name, **shown} for name in ARMS)],
        "notes": ["2 paths of the golden set are not indexed"],
    }
