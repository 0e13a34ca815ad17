"""How often answers cite, and cite rightly, over the golden questions of the sample journal.

    python -m bench.serve run -- python -m bench.cited [--model smollm2 …] [--prompt answer …] [--every 4] [-k 4]

Ingest first. A citation is known if its marker is a passage's number; it is right if that passage holds a sentence
that the golden file names. Prints a line for each model and prompt.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from store.records import Hit
from wherein.pipelines.answer import Answer
from wherein.pipelines.ask import AskOptions, ask
from wherein.pipelines.options import QueryOptions
from wherein.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data" / "sample"
MAX_TOKENS = 160
COLUMNS = ("answered", "cited", "verified", "right", "unknown", "refused")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append")
    parser.add_argument("--prompt", action="append")
    parser.add_argument("--every", type=int, default=1, help="of the answerable questions; default: %(default)s")
    parser.add_argument("-k", type=int, default=4)
    given = parser.parse_args()
    url = os.environ.get("LLAMA_SERVER_URL")
    workspace = Workspace.find(ROOT, [f"models.smollm2.base_url={url}"] if url else [])
    questions = list(_answerable())[:: given.every]
    print(f"{'model':<12} {'prompt':<10} {'asked':>6}", *(f"{name:>9}" for name in COLUMNS))
    for model in given.model or ["smollm2", "extractive"]:
        for prompt in given.prompt or ["answer"]:
            options = AskOptions(QueryOptions(k=given.k), model, prompt=prompt, max_tokens=MAX_TOKENS, log=False)
            seen = Counter(kind for one in questions for kind in _kinds(one, ask(workspace, one["question"], options)))
            print(
                f"{model:<12} {prompt:<10} {len(questions):>6}", *(f"{seen[name]:>9}" for name in COLUMNS), flush=True
            )


def _answerable() -> Iterator[dict[str, Any]]:
    for line in (SAMPLE / "golden.jsonl").read_text(encoding="utf-8").splitlines():
        question: dict[str, Any] = json.loads(line)
        if question["answerable"]:
            yield question


def _kinds(question: dict[str, Any], answer: Answer) -> Iterator[str]:
    """Which of the columns an answer counts in."""
    holds = {
        "answered": answer.failure is None and not answer.refused,
        "cited": bool(answer.citations),
        "verified": any(citation.verified for citation in answer.citations),
        "right": any(_is_golden(question, answer.evidence[one.marker - 1]) for one in answer.citations),
        "unknown": bool(answer.unknown_markers),
        "refused": answer.refused,
    }
    return (name for name, held in holds.items() if held)


def _is_golden(question: dict[str, Any], hit: Hit) -> bool:
    """Some golden entries name a sentence of a file, others the file alone."""
    path, text = f"journal/{hit.path}", " ".join(hit.text.split())
    entries = [one if isinstance(one, dict) else {"path": one, "quote": ""} for one in question["relevant"]]
    return any(one["path"] == path and " ".join(one["quote"].split()) in text for one in entries)


if __name__ == "__main__":
    main()
