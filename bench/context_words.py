"""What a header before each chunk changes in the keyword channel: `python -m bench.context_words FOLDER...`.

Each FOLDER is a workspace as `bench.judged_workspace` makes it, indexed with `chunking.context = "none"`. The words of
the headers that "headings" would make are added to the counts that are there, so no model is called; all chunks are
ranked by BM25, and files by their best chunk.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.lexicon import K1, B
from tasks.analyse import Analyser
from tasks.context import TOKENS, header
from tasks.evaluation import golden_files
from tasks.evaluation.differences import differences
from tasks.evaluation.measures import ndcg
from tasks.globs import nfc
from tasks.source import Source
from wherein.pipelines import sources, wording
from wherein.workspace import Workspace

CUT = 10
Counts = NDArray[np.float64]


class Words:
    """BM25 over the counts of an index, with those of headers added."""

    def __init__(self, source: Source, headers: Sequence[Counter[str]]) -> None:
        self._lexicon = source.snapshot.lexicon
        self._headers = headers
        lengths = np.asarray(self._lexicon.arrays["lengths"], dtype=np.float64)
        lengths = lengths + [each.total() for each in headers]
        self._norm = K1 * (1 - B + B * lengths / lengths.mean())

    def scores(self, terms: Sequence[str]) -> Counts:
        """Of every chunk."""
        total = np.zeros(len(self._headers))
        for term in terms:
            counts = self._counts(term)
            held = np.count_nonzero(counts)
            idf = np.log(1 + (len(counts) - held + 0.5) / (held + 0.5))
            total += idf * counts / (counts + self._norm)
        return total

    def _counts(self, term: str) -> Counts:
        counts = np.array([each[term] for each in self._headers], dtype=np.float64)
        column = self._lexicon.term_id(term)
        if column is not None:
            place = slice(*map(int, self._lexicon.arrays["indptr"][column : column + 2]))
            counts[self._lexicon.arrays["rows"][place]] += self._lexicon.arrays["counts"][place]
        return counts


def main() -> None:
    """A line of a table for each workspace."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    print("| set | questions | none | headings | difference (95 %) | verdict |\n|---|---|---|---|---|---|")
    for folder in parser.parse_args().folders:
        print(_line(folder), flush=True)


def _line(folder: Path) -> str:
    with sources.opened(Workspace.find(folder), [], []) as ((name, opened),):
        source = Source(name, opened)
        passages = source.passages(range(len(opened)))
        paths = [passage.path for passage in passages]
        made = _headers(opened.connection, passages)
        arms = {"none": Words(source, [Counter()] * len(made)), "headings": Words(source, made)}
        values: dict[str, list[float]] = {arm: [] for arm in arms}
        for question in golden_files.read(folder / "golden.jsonl"):
            judged = {each.path: each.score for each in question.relevant}
            for arm in arms if judged else ():
                scores = arms[arm].scores(wording.terms(question.question, source, False))
                values[arm].append(ndcg(_ranked(scores, paths), judged, CUT))
    found = differences(values["none"], {"headings": values["headings"]})["headings"]
    means = " | ".join(f"{np.mean(each):.3f}" for each in values.values())
    change = f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
    return f"| {folder.name} | {len(values['none'])} | {means} | {change} | {found.verdict} |"


def _headers(connection: Any, passages: Sequence[Any]) -> list[Counter[str]]:
    files = {
        row[0]: row[1:] for row in connection.execute("SELECT path, title, language FROM files WHERE died IS NULL")
    }
    analyser, found = Analyser(), []
    for each in passages:
        title, language = files[each.path]
        day = None if each.date_from == "mtime" else each.date
        line = header(each.text, title or PurePosixPath(nfc(each.path)).stem, each.heading, day, str.split, TOKENS)
        found.append(Counter(analyser.document_terms(line, language or "none")))
    return found


def _ranked(scores: Counts, paths: Sequence[str]) -> list[str]:
    """The first files by their best chunk that holds a word of the question."""
    order = np.lexsort((np.arange(len(scores)), -scores))
    return list(dict.fromkeys(paths[row] for row in order[: 20 * CUT] if scores[row] > 0))[:CUT]


if __name__ == "__main__":
    main()
