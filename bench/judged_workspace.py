"""A workspace from a judged set: `python -m bench.judged_workspace SET FOLDER`.

FOLDER gets one text file a document, `golden.jsonl` with the judged questions, and `wherein.toml`; then, there,
`wherein ingest` and `wherein evaluate --golden golden.jsonl`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import judged
from tasks.evaluation import golden_files
from tasks.evaluation.golden import Question, Relevant

SETTINGS = '[collections.documents]\npath = "files"\ndates = ["name", "front_matter"]\n'


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="a folder with corpus, queries and qrels")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    ids = judged.unfold(given.set, given.folder / "files")
    paths = {id_: path for path, id_ in ids.items()}
    questions = [_placed(question, paths) for question in golden_files.read(given.set)]
    golden_files.write(given.folder / "golden.jsonl", questions)
    (given.folder / "wherein.toml").write_text(SETTINGS, encoding="utf-8")
    print(f"{len(ids)} files, {len(questions)} questions")


def _placed(question: Question, paths: dict[str, str]) -> Question:
    relevant = tuple(Relevant(paths.get(e.path, e.path), e.quote, e.collection, e.score) for e in question.relevant)
    return Question(
        question.id, question.question, relevant, question.answerable, question.answer, question.kind, question.made_by
    )


if __name__ == "__main__":
    main()
