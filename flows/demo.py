"""`python -m flows.demo`: ingest the sample journal and ask it three questions, each a Prefect flow run."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from flows import connection, reports
from store.errors import WhereinError
from wherein.cli.output import prepare_streams, print_aside, print_line
from wherein.pipelines.answer import Answer
from wherein.pipelines.synthesis import EXTRACTIVE
from wherein.workspace import Workspace

SERVER = "LLAMA_SERVER_URL"
QUESTIONS = (
    "What is the secret ingredient of Ottilie's potato soup?",
    "Who is Thaddeus Orme, and which plot has he?",
    "How many stitches did I need after the accident with the chisel?",
)
ANSWERED = (0, 3, 4)


def main() -> int:
    """Exit 0 if every run ended as it should."""
    prepare_streams()
    try:
        return _demo(Path(__file__).resolve().parent.parent)
    except WhereinError as error:
        print_aside(error.message)
        return error.code


def _demo(folder: Path) -> int:
    settings = _settings(os.environ.get(SERVER))
    connection.connect(Workspace.find(folder, settings), print_aside)
    common = {"workspace": str(folder), "settings": settings}
    from flows.ingest import ingest

    print_line("Ingest data/sample/journal, as a flow run")
    codes = [_run(ingest, common, reports.show_ingest)]
    for question in QUESTIONS:
        codes += _ask(common, question)
    return 0 if all(code in ANSWERED for code in codes) else 1


def _ask(common: dict[str, Any], question: str) -> list[int]:
    """Ask the model; where it cites nothing, have the best sentences of the same passages quoted as well."""
    from flows.query import query

    print_line(f"\n\n{question}\n")
    answers: list[Answer] = []
    asked = {**common, "question": question}
    codes = [_run(query, asked, answers.append)]
    for answer in answers:
        print_line(f"{answer.model}:")
        reports.show_cited(answer)
        if not answer.citations and answer.model != EXTRACTIVE:
            print_line(f"\n{answer.model} cites no passage. {EXTRACTIVE}, which quotes the best sentences:")
            codes.append(_run(query, {**asked, "model": EXTRACTIVE}, reports.show_cited))
        reports.show_evidence(answer)
    return codes


def _settings(url: str | None) -> list[str]:
    """A small model on few passages where a server runs, else the best sentences of the passages."""
    if url is None:
        print_aside(f"No local LLM server ({SERVER} is not set): the answers are the passages' own sentences.")
        return ["synthesis.model=extractive", "retrieval.k=3"]
    model = ["synthesis.model=smollm2", f"models.smollm2.base_url={url}"]
    return [*model, "synthesis.temperature=0.3", "synthesis.max_tokens=160", "retrieval.k=3"]


def _run(flow: Any, parameters: dict[str, Any], show: Any) -> int:
    finished = connection.call(flow, parameters, print_aside)
    if finished is None:
        return 1
    if finished.value is None:
        print_aside(finished.message)
    else:
        show(finished.value)
    return int(finished.code)


if __name__ == "__main__":
    sys.exit(main())
